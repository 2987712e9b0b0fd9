import { Readable } from 'node:stream'
import { z } from 'zod'
import { ApiError, notFound } from '#lib/errors.ts'
import { ExportById } from '#lib/schemas/evidence.ts'
import { openArchive } from '#server/evidence/archive/archive-file.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { findExport } from './store.ts'
import { unfinished } from './unfinished.ts'

const Archive = z.object({ exportId: z.string(), name: z.string(), bytes: z.int(), manifestSha256: z.string() })

/** Returns a completed archive. A mutation, although it changes nothing else, because each download is recorded in the audit log. */
export const download = mutation({
  permission: 'evidence:read',
  input: ExportById,
  output: Archive,
  audit: (input, archive) => ({
    action: 'evidence_export.downloaded',
    resource: { type: 'evidence_export', id: input.exportId },
    details: archive && { manifestSha256: archive.manifestSha256, bytes: archive.bytes },
  }),
  async run({ tx, tenant, principal, input }) {
    const row = await findExport(tx, tenant.id, input.exportId)
    if (row === undefined) throw notFound()
    if (row.includeRawPayloads && !principal.permissions.has('evidence:raw'))
      throw refuse(
        'forbidden',
        'This archive contains raw payloads. Downloading it requires the permission evidence:raw.',
        undefined,
        {
          permission: 'evidence:raw',
        },
      )
    const { archiveName, archiveBytes, manifestSha256 } = row
    if (archiveName === null || archiveBytes === null || manifestSha256 === null) throw unfinished(row.status)
    return { exportId: row.id, name: archiveName, bytes: archiveBytes, manifestSha256 }
  },
})

/** Opens the archive as a stream. Throws 503 if the file is missing or incomplete, which the operator has to investigate. */
export async function archiveResponse(archive: z.infer<typeof Archive>, { tenant }: Caller): Promise<Response> {
  const missing = (cause: unknown) =>
    new ApiError('unavailable', 'The archive is temporarily unavailable. Try again in a minute.', { cause })
  const file = await openArchive(tenant.id, archive.exportId).catch((cause: unknown) => {
    throw missing(cause)
  })
  const { size } = await file.stat()
  if (size !== archive.bytes) {
    await file.close()
    throw missing(new Error(`The archive of ${archive.exportId} has ${size} bytes instead of ${archive.bytes}.`))
  }
  return new Response(Readable.toWeb(file.createReadStream()) as ReadableStream<Uint8Array>, {
    headers: {
      'content-type': 'application/zip',
      'content-length': String(size),
      'content-disposition': `attachment; filename="${archive.name}"`,
      // Each manifest belongs to exactly one archive.
      etag: `"zip-sha256:${archive.manifestSha256}"`,
    },
  })
}
