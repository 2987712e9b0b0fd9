import { Readable } from 'node:stream'
import { z } from 'zod'
import { ApiError, notFound } from '#lib/errors.ts'
import { ExportById } from '#lib/schemas/evidence.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { errorResponse } from '#server/kernel/rest.ts'
import type { RouteWire } from '#server/kernel/route-wire.ts'
import { requireLogged } from './as-logged.ts'
import { archiveIsGone } from './gone.ts'
import { storeOf } from './places/place.ts'
import { rangeOf } from './range.ts'
import { findRecorded } from './store.ts'
import { unfinished } from './unfinished.ts'

/** The headers of the request that choose the bytes. `head`: only the headers of the response are wanted. */
const DownloadInput = ExportById.extend({
  head: z.boolean().default(false),
  range: z.string().optional(),
  ifRange: z.string().optional(),
})
const Archive = z.object({
  exportId: z.string(),
  name: z.string(),
  bytes: z.int(),
  /** Of the ZIP; null for archives from before it was recorded. */
  sha256: z.string().nullable(),
  etag: z.string(),
  place: z.string().nullable(),
  run: z.int(),
  head: z.boolean(),
  /** The bytes to send, both included; 'none': the archive ends before them. */
  range: z.union([z.object({ start: z.int(), end: z.int() }), z.literal('none')]).optional(),
})
type Archive = z.infer<typeof Archive>

/**
 * Returns a completed archive or a range of it. A mutation, although it changes nothing else, because each download is
 * recorded in the audit log.
 */
export const download = mutation({
  permission: 'evidence:read',
  input: DownloadInput,
  output: Archive,
  audit: (input, archive) =>
    input.head || archive?.range === 'none'
      ? undefined
      : {
          action: 'evidence_export.downloaded',
          resource: { type: 'evidence_export', id: input.exportId },
          details: archive && {
            sha256: archive.sha256,
            bytes: archive.bytes,
            ...(archive.range === undefined ? {} : { range: `${archive.range.start}-${archive.range.end}` }),
          },
        },
  async run({ tx, tenant, principal, input }) {
    const row = await findRecorded(tx, tenant.id, input.exportId)
    if (row === undefined) throw notFound()
    await requireLogged(tx, tenant, row)
    if (row.includeRawPayloads && !principal.permissions.has('evidence:raw'))
      throw refuse(
        'forbidden',
        'This archive contains raw payloads. Downloading it requires the permission evidence:raw.',
        undefined,
        {
          permission: 'evidence:raw',
        },
      )
    const { archiveName, archiveBytes, archiveSha256, manifestSha256 } = row
    if (archiveName === null || archiveBytes === null || manifestSha256 === null) throw unfinished(row.status)
    const gone = archiveIsGone(row)
    if (gone !== undefined) throw gone
    // Each manifest belongs to exactly one archive.
    const etag = archiveSha256 === null ? `"zip-sha256:${manifestSha256}"` : `"sha256:${archiveSha256}"`
    return {
      exportId: row.id,
      name: archiveName,
      bytes: archiveBytes,
      sha256: archiveSha256,
      etag,
      place: row.archivePlace,
      run: row.run,
      head: input.head,
      range: rangeOf(input, { bytes: archiveBytes, etag }),
    }
  },
})

export const archiveWire: RouteWire = {
  query: z.object({}),
  answer: { 'application/zip': 'bytes' },
  // 206 for a range.
  statuses: [200, 206],
  headers: ['range', 'if-range'],
}

/** The input from a request for the archive. */
export const downloadInput = (params: Record<string, string>, { headers, method }: Request) => ({
  ...params,
  head: method === 'HEAD',
  range: headers.get('range') ?? undefined,
  ifRange: headers.get('if-range') ?? undefined,
})

/** Opens the archive as a stream. Throws 503 if it is missing, incomplete or out of reach, which the operator has to investigate. */
export async function archiveResponse(archive: Archive, { tenant, requestId }: Caller): Promise<Response> {
  const { exportId, name, bytes, sha256, etag, place, run, head, range } = archive
  if (range === 'none') {
    const error = new ApiError('range_not_satisfiable', `The archive has ${bytes} bytes.`)
    const response = errorResponse(error, requestId)
    response.headers.set('content-range', `bytes */${bytes}`)
    return response
  }
  const { start, end } = range ?? { start: 0, end: bytes - 1 }
  const headers = {
    'content-type': 'application/zip',
    'content-length': String(end - start + 1),
    'content-disposition': `attachment; filename="${name}"`,
    'accept-ranges': 'bytes',
    etag,
    ...(sha256 === null ? {} : { 'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:` }),
    ...(range === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${bytes}` }),
  }
  const status = range === undefined ? 200 : 206
  if (head) return new Response(null, { status, headers })
  const body = await storeOf(place)
    .open(place ?? '', { tenantId: tenant.id, exportId, run }, { start, end, size: bytes })
    .catch((cause: unknown) => {
      throw new ApiError('unavailable', 'The archive is temporarily unavailable. Try again in a minute.', { cause })
    })
  return new Response(Readable.toWeb(body) as ReadableStream<Uint8Array>, { status, headers })
}
