import { type From, resumed } from './resumed.ts'

/** The bytes of a response, with the number received so far. `continueFrom`: asks for the rest where they break off. */
export function counted(
  response: Response,
  onBytes: (received: number) => void,
  continueFrom?: (from: From) => Promise<Response>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let received = 0
  const body = continueFrom === undefined ? (response.body ?? new Blob().stream()) : resumed(response, continueFrom)
  return body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        received += chunk.byteLength
        onBytes(received)
        controller.enqueue(chunk)
      },
    }),
  )
}

/** Bytes that the page keeps in its own memory at most. */
const partBytes = 8 * 1024 * 1024

/**
 * Collects the bytes as a file of the browser: each part is handed over as a blob, which the browser moves to disk when
 * many come together, and deletes when the page is closed. Rejects if the download breaks off.
 */
export async function collected(bytes: ReadableStream<Uint8Array<ArrayBuffer>>, mediaType: string): Promise<Blob> {
  const parts: Blob[] = []
  let [waiting, size]: [Uint8Array<ArrayBuffer>[], number] = [[], 0]
  const reader = bytes.getReader()
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    waiting.push(piece.value)
    size += piece.value.length
    if (size < partBytes) continue
    parts.push(new Blob(waiting))
    ;[waiting, size] = [[], 0]
  }
  return new Blob([...parts, ...waiting], { type: mediaType })
}
