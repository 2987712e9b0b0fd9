import { check } from './format-error.ts'

const NEWLINE = 0x0a
/** Rows of these tags carry their length in bytes, and no newline (react-server-dom, processBinaryChunk). */
const COUNTED_TAGS = new Set('TAOobUSsLlGgMmV')

/**
 * Reads a stream of React's flight data row by row and throws FormatError on anything that is not a row. Also throws for a counted
 * row that contains one of `placeholders`: a value of another length would shift every row after it.
 */
export function checkFlight(name: string, stream: string, placeholders: readonly string[]): void {
  const bytes = Buffer.from(stream)
  let at = 0
  while (at < bytes.length) {
    const head = /^([0-9a-f]*):(?:([A-Za-z])([0-9a-f]+),)?/.exec(bytes.toString('latin1', at, at + 64))
    check(head !== null, `${name} has a row that does not begin with an id and a colon (byte ${at})`)
    const [start, , tag, length] = head
    if (tag !== undefined && length !== undefined && COUNTED_TAGS.has(tag)) {
      const from = at + start.length
      at = from + Number.parseInt(length, 16)
      check(at <= bytes.length, `${name} has a row that is shorter than its length states`)
      const text = bytes.toString('utf8', from, at)
      const found = placeholders.find((placeholder) => text.includes(placeholder))
      if (found !== undefined)
        throw new Error(
          `${name}: a text of 1,024 characters or more contains the parameter ${found}. Pass the parameter by itself.`,
        )
    } else {
      const end = bytes.indexOf(NEWLINE, at)
      check(end !== -1, `${name} has a row without an end (byte ${at})`)
      at = end + 1
    }
  }
}

const PUSH =
  /<script>(?:\(self\.__next_f=self\.__next_f\|\|\[\]\)|self\.__next_f)\.push\(\[(\d+)(?:,("(?:[^"\\]|\\.)*"))?\]\)<\/script>/g

/** The pieces of flight data that a document carries in its inline scripts, in their order. */
export function inlineFlight(name: string, html: string): string[] {
  const pushes = [...html.matchAll(PUSH)]
  const mentioned = html.match(/<script[^>]*>[^<]*__next_f\b/g)?.length ?? 0
  check(mentioned === pushes.length, `${name} fills self.__next_f in an unknown form`)
  check(pushes.length > 1, `${name} does not carry its flight data in self.__next_f`)
  return pushes.flatMap(([, kind, text]) => {
    check(kind === '0' || kind === '1', `${name} has inline flight data of the unknown kind ${kind}`)
    return text === undefined ? [] : [String(JSON.parse(text))]
  })
}
