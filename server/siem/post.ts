import { Agent, request } from 'undici'
import { NotAccepted, type Patience } from './sink.ts'

/** Read of an answer: more than any collector has to say. */
const maxAnswer = 64 * 1024
const shownAnswer = 200

export type Answer = { status: number; text: string }
export type Poster = {
  /** Throws NotAccepted without a whole answer within `wholeMs`. */
  post(body: string, headers: Record<string, string>, wholeMs: number): Promise<Answer>
  close(): Promise<void>
}

/** Posts JSON to an address of the operator's. `ca`: the only authorities that are trusted, in place of the usual ones. */
export function openPoster(url: string, ca: string | undefined, { silenceMs }: Patience): Poster {
  const agent = new Agent({
    allowH2: false,
    connect: { timeout: silenceMs, ...(ca === undefined ? {} : { ca }) },
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
  })
  return {
    async post(body, headers, wholeMs) {
      const late = AbortSignal.timeout(wholeMs)
      try {
        const answer = await request(url, {
          dispatcher: agent,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'user-agent': 'Countersign', ...headers },
          body,
          // The agent limits silence only, not an answer that comes byte by byte.
          signal: late,
        })
        return { status: answer.statusCode, text: await readAnswer(answer.body) }
      } catch (error) {
        const why = late.aborted ? `not completely within ${wholeMs / 1000} seconds` : causeOf(error)
        throw new NotAccepted(`${new URL(url).host} did not answer: ${why}`)
      }
    },
    close: () => agent.destroy(),
  }
}

async function readAnswer(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.byteLength
    if (bytes > maxAnswer) break
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

/** An answer that does not accept the records. It is shown without `secrets`, which a server may repeat. */
export function refusedBy({ status, text }: Answer, secrets: readonly string[]): NotAccepted {
  let shown = text.replaceAll(/\s+/g, ' ').trim()
  for (const secret of secrets) shown = shown.replaceAll(secret, '***')
  return new NotAccepted(`responded with ${status}: ${shown.slice(0, shownAnswer)}`)
}

/** What a JSON answer has; undefined if it is not an object. */
export function membersOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : undefined
  } catch {
    return undefined
  }
}

function causeOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error ? first.message : String(first)
}
