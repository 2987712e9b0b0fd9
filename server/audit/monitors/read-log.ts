import { notFound } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import { verifierKeys } from '#server/audit/notes/checkpoint-note.ts'
import { type LogName, sealLog } from '#server/audit/sealing/log-name.ts'
import { findLatestSealCheckpoint, listSeals } from '#server/audit/sealing/seal-store.ts'
import { findLatestCheckpoint, type LogOwner } from '#server/audit/store.ts'
import { hashBytes } from '#server/audit/tree/merkle.ts'
import { findTiles } from '#server/audit/tree/tile-store.ts'
import { tileWidth } from '#server/audit/tree/tiles.ts'
import { cosignedNote } from '#server/audit/witnesses/cosigned.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { type KnownHeads, logKeysFile } from './log-keys.ts'
import type { LogResource } from './log-resource.ts'

export type LogBody = { mediaType: string; immutable: boolean; bytes: Uint8Array }

const text = (content: string): LogBody => ({
  mediaType: 'text/plain; charset=utf-8',
  immutable: false,
  bytes: Buffer.from(content),
})
const json = (content: JsonObject): LogBody => ({
  mediaType: 'application/json',
  immutable: false,
  bytes: Buffer.from(JSON.stringify(content)),
})
const binary = (bytes: Uint8Array): LogBody => ({ mediaType: 'application/octet-stream', immutable: true, bytes })

/** Returns the signed part of one resource of a tenant's log. Throws not_found. */
export async function readLog(
  tx: Transaction,
  tenant: LogOwner,
  resource: LogResource,
  known: KnownHeads,
): Promise<LogBody> {
  if (resource.kind === 'all keys') return json(await logKeysFile(tx, tenant, known))
  const { log } = resource
  const head = await headOf(tx, tenant, log)
  // A witness gets the keys of the seal log before it is asked for the first time: they are as old as the tenant.
  if (resource.kind === 'keys') {
    if (head === undefined && log !== sealLog) throw notFound()
    return text((await verifierKeys(tx, tenant, log)).map((key) => `${key}\n`).join(''))
  }
  if (head === undefined) throw notFound()
  switch (resource.kind) {
    case 'checkpoint':
      return text(head.note)
    case 'tile':
      return binary(await tileOf(tx, tenant, log, resource, head.size))
    case 'entries':
      return binary(await entriesOf(tx, tenant, resource, head.size))
  }
}

async function headOf(tx: Transaction, tenant: LogOwner, log: LogName) {
  if (log !== sealLog) return await findLatestCheckpoint(tx, tenant.id, log)
  const last = await findLatestSealCheckpoint(tx, tenant.id)
  return last && { size: last.size, note: await cosignedNote(tx, tenant.id, last) }
}

async function tileOf(
  tx: Transaction,
  tenant: LogOwner,
  log: LogName,
  { level, tile, width }: { level: number; tile: number; width: number },
  size: number,
): Promise<Uint8Array> {
  const signed = Math.floor(size / tileWidth ** level) - tile * tileWidth
  const [stored] = signed < width ? [] : await findTiles(tx, tenant.id, log, [{ level, tile }])
  const bytes = stored?.hashes.subarray(0, width * hashBytes)
  if (bytes?.length !== width * hashBytes) throw notFound()
  return bytes
}

/** Each entry with its length before it, two bytes, big-endian. */
async function entriesOf(
  tx: Transaction,
  tenant: LogOwner,
  { tile, width }: { tile: number; width: number },
  size: number,
): Promise<Uint8Array> {
  const start = tile * tileWidth
  if (start + width > size) throw notFound()
  const seals = await listSeals(tx, tenant.id, start, start + width)
  if (seals.length !== width) throw notFound()
  return Buffer.concat(
    seals.flatMap(({ entry }) => {
      const bytes = Buffer.from(entry)
      const length = Buffer.alloc(2)
      length.writeUInt16BE(bytes.length)
      return [length, bytes]
    }),
  )
}
