import { type CosignerKey, findCosignature } from '#server/audit/notes/cosignature.ts'
import { parseNote } from '#server/audit/notes/signed-note.ts'
import { sealLog } from '#server/audit/sealing/log-name.ts'
import {
  findCosignedSize,
  findLatestSealCheckpoint,
  insertCosignature,
  type StoredSealCheckpoint,
} from '#server/audit/sealing/seal-store.ts'
import type { LogOwner } from '#server/audit/store.ts'
import { consistencyAt } from '#server/audit/tree/tree.ts'
import { fetchLimited } from '#server/kernel/net/fetch-limited.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** Another party that signs checkpoints of closed days that are consistent with those that it signed before. */
export type Witness = { url: string; key: CosignerKey }

/** Far more than the lines of signatures have. */
const limits = { wholeMs: 10_000, maxBytes: 64 * 1024 }

/** A witness has last seen another size than this server assumed. */
class OtherSize extends Error {
  readonly size: number
  constructor(size: number) {
    super(`The witness has seen ${size} closed days.`)
    this.size = size
  }
}

/**
 * Requests a witness's cosignature for the tenant's last checkpoint of closed days (`add-checkpoint` of
 * https://c2sp.org/tlog-witness) and stores it, unless it is stored already. Throws if the witness refuses, does not respond,
 * or has seen more days than are stored.
 */
export async function askWitness(tenant: LogOwner, witness: Witness): Promise<void> {
  const { database } = runtime()
  const { last, seen } = await database.inTenant(tenant.id, async (tx) => ({
    last: await findLatestSealCheckpoint(tx, tenant.id),
    seen: await findCosignedSize(tx, tenant.id, witness.key.name),
  }))
  // An empty log has nothing to cosign, and RFC 6962 defines no proof that a log continues it.
  if (last === undefined || last.size === 0 || seen === last.size) return
  const lines = await submit(tenant, witness, last, seen ?? 0).catch(async (error: unknown) => {
    if (!(error instanceof OtherSize)) throw error
    return await submit(tenant, witness, last, error.size)
  })
  const line = findCosignature(parseNote(last.note).text, lines, witness.key)
  if (line === undefined) throw new Error(`The witness ${witness.key.name} responded without its signature.`)
  await database.inTenant(tenant.id, (tx) =>
    insertCosignature(tx, { tenantId: tenant.id, size: last.size, witness: witness.key.name, line }),
  )
}

async function submit(tenant: LogOwner, witness: Witness, last: StoredSealCheckpoint, seen: number): Promise<string> {
  if (seen > last.size)
    throw new Error(`The witness ${witness.key.name} has seen ${seen} closed days; ${last.size} are stored.`)
  const proof = await runtime().database.inTenant(tenant.id, async (tx) =>
    seen === 0 ? [] : await consistencyAt(tx, { tenantId: tenant.id, name: sealLog }, seen, last.size),
  )
  if (proof === undefined) throw new Error('The stored seal log lacks a hash.')
  const body = [`old ${seen}`, ...proof.map((hash) => hash.toString('base64')), '', last.note].join('\n')
  const response = await fetchLimited(`${witness.url}/add-checkpoint`, { method: 'POST', body }, limits)
  const text = await response.text()
  if (response.ok) return text
  const size = /^(0|[1-9]\d{0,9})\n$/.exec(text)?.[1]
  if (response.status === 409 && response.headers.get('content-type') === 'text/x.tlog.size' && size !== undefined)
    if (Number(size) !== seen) throw new OtherSize(Number(size))
  throw new Error(`The witness ${witness.key.name} responded with ${response.status}: ${text.slice(0, 200)}`)
}
