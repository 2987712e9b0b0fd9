import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { JsonObject } from '#lib/schemas/common.ts'
import { ExportById } from '#lib/schemas/evidence.ts'
import { query } from '#server/kernel/operation.ts'
import type { RouteWire } from '#server/kernel/route-wire.ts'
import { requireLogged } from './as-logged.ts'
import { findManifest, findRecorded } from './store.ts'
import { unfinished } from './unfinished.ts'

const SealedManifest = z.object({ bytes: z.instanceof(Uint8Array<ArrayBuffer>), sha256: z.string() })

/** Returns the sealed manifest.json, byte for byte as in the archive. 409 not_ready before the export is completed. */
export const getManifest = query({
  permission: 'evidence:read',
  input: ExportById,
  output: SealedManifest,
  async run({ tx, tenant, input }) {
    const row = await findRecorded(tx, tenant.id, input.exportId)
    if (row === undefined) throw notFound()
    await requireLogged(tx, tenant, row)
    const manifest = await findManifest(tx, tenant.id, row)
    if (manifest === null || row.manifestSha256 === null) throw unfinished(row.status)
    return { bytes: new Uint8Array(manifest), sha256: row.manifestSha256 }
  },
})

export const manifestWire: RouteWire = { answer: { 'application/json': JsonObject } }

/** The ETag is the manifest's SHA-256. */
export const manifestResponse = ({ bytes, sha256 }: z.infer<typeof SealedManifest>): Response =>
  new Response(bytes, { headers: { 'content-type': 'application/json', etag: `"sha256:${sha256}"` } })
