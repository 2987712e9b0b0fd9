/** Excel reads a CSV as UTF-8 only if it begins with this mark. Without it, “€” and “ö” become other characters. */
export const byteOrderMark = '\uFEFF'

/** A CSV of the server for a spreadsheet. Programs that ask the server for it get it without the mark. */
export function forSpreadsheet(response: Response): Response {
  const marked = new TransformStream<Uint8Array, Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(byteOrderMark))
    },
  })
  return new Response(response.body?.pipeThrough(marked), response)
}
