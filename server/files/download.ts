import { Readable } from 'node:stream'
import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { ById } from '#lib/schemas/common.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import type { RouteWire } from '#server/kernel/route-wire.ts'
import { openContent } from './content.ts'
import { findFiles } from './store.ts'

const Content = z.object({ id: z.string(), name: z.string(), bytes: z.int(), sha256: z.string() })

/** Returns a file. It changes nothing, but it is a mutation so that every download is in the audit log. */
export const download = mutation({
  permission: 'execution:read',
  input: ById,
  output: Content,
  audit: (input, output) => ({
    action: 'file.downloaded',
    resource: { type: 'file', id: input.id },
    details: output && { digest: `sha256:${output.sha256}` },
  }),
  async run({ tx, tenant, input }) {
    const [file] = await findFiles(tx, tenant.id, [input.id])
    if (file === undefined) throw notFound()
    if (file.contentRemovedAt !== null)
      throw refuse('conflict', `The content of this file was erased on ${file.contentRemovedAt.toISOString()}.`)
    return { id: file.id, name: file.name, bytes: file.bytes, sha256: file.sha256 }
  },
})

export const fileWire: RouteWire = { answer: { 'application/octet-stream': 'bytes' } }

/** The bytes as a stream, always as an attachment: whatever type the file claims, browsers do not render or run it. */
export async function fileResponse(
  { name, bytes, sha256 }: z.infer<typeof Content>,
  { tenant }: Caller,
): Promise<Response> {
  const file = await openContent(tenant.id, sha256, bytes)
  return new Response(Readable.toWeb(file.createReadStream()) as ReadableStream<Uint8Array>, {
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(bytes),
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll(/['()*]/g, escaped)}`,
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      etag: `"sha256:${sha256}"`,
    },
  })
}

/** RFC 8187 allows fewer characters than encodeURIComponent leaves unescaped. */
const escaped = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
