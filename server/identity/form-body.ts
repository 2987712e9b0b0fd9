import type { IncomingMessage } from 'node:http'

/** A body that is not a small form. `status` is the HTTP status of the response. */
export class FormError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const maxBytes = 32 * 1024

/** Reads an application/x-www-form-urlencoded body with unique field names. Throws FormError. */
export async function readForm(req: IncomingMessage): Promise<ReadonlyMap<string, string>> {
  const type = req.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new FormError(415, 'The body must be application/x-www-form-urlencoded.')
  const chunks: Buffer[] = []
  let received = 0
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    received += chunk.length
    if (received > maxBytes) throw new FormError(413, 'The form is too large.')
    chunks.push(chunk)
  }
  const form = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(Buffer.concat(chunks).toString('utf8'))) {
    if (form.has(name)) throw new FormError(400, 'A field appears more than once.')
    form.set(name, value)
  }
  return form
}
