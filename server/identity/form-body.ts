import type { IncomingMessage } from 'node:http'
import { textFlaw } from '#server/kernel/input.ts'

/** A body that is not a small form. `status` is the HTTP status of the response. */
export class FormError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const maxBytes = 32 * 1024
const maxFields = 100

/** Reads an application/x-www-form-urlencoded body with unique field names. Throws FormError. */
export async function readForm(req: IncomingMessage): Promise<ReadonlyMap<string, string>> {
  const type = req.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new FormError(415, 'The body must be application/x-www-form-urlencoded.')
  const form = new Map<string, string>()
  for (const [name, value] of new URLSearchParams((await readBody(req, maxBytes)).toString('utf8'))) {
    if (textFlaw(name) !== undefined || textFlaw(value) !== undefined)
      throw new FormError(400, 'A field contains a character that can’t be stored (U+0000).')
    if (form.has(name)) throw new FormError(400, 'A field appears more than once.')
    form.set(name, value)
    if (form.size > maxFields) throw new FormError(400, 'The form has too many fields.')
  }
  return form
}

/** Reads a body of at most `limit` bytes. Throws FormError. */
export async function readBody(req: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let received = 0
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      received += chunk.length
      if (received > limit) throw new FormError(413, 'The body is too large.')
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof FormError) throw error
    // The caller left, or was cut off because the form arrived too slowly.
    throw new FormError(400, 'The body ended before it was complete.')
  }
  return Buffer.concat(chunks)
}

/**
 * Has the identity provider's library, which reads forms by itself, refuse one that contains U+0000: it looks up and stores
 * what the fields contain. The library answers 400 for any error while it reads.
 */
export function guardForm(req: IncomingMessage): void {
  const read = req.iterator.bind(req)
  req.iterator = (options) => withoutNul(read(options))
}

async function* withoutNul(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, undefined> {
  // The end of the last chunk, because the three characters of %00 may arrive in two.
  let before = ''
  for await (const chunk of chunks) {
    const text = before + chunk.toString('latin1')
    if (text.includes('%00') || text.includes('\u0000')) throw new FormError(400, 'A field contains U+0000.')
    before = text.slice(-2)
    yield chunk
  }
  return undefined
}

/** Whether the credentials of a client in the Authorization header can be looked up. */
export function storableBasic({ headers }: IncomingMessage): boolean {
  const encoded = /^basic +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (encoded === undefined) return true
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  return !text.includes('%00') && textFlaw(text) === undefined
}
