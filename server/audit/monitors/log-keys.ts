import { z } from 'zod'
import type { JsonObject } from '#lib/json.ts'
import { Day } from '#lib/schemas/common.ts'
import { wordsOf } from '#lib/verify/fingerprint/words.ts'
import { sealLog } from '#server/audit/sealing/log-name.ts'
import { findLatestSealCheckpoint } from '#server/audit/sealing/seal-store.ts'
import { findLatestCheckpoint, type LogOwner, today } from '#server/audit/store.ts'
import { consistencyAt } from '#server/audit/tree/tree.ts'
import { cosignedNote } from '#server/audit/witnesses/cosigned.ts'
import { loadWitnesses } from '#server/audit/witnesses/witnesses.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { keyEntry } from '#server/kernel/keys/key-record.ts'
import { type SigningKey, signingKeys } from '#server/kernel/keys/signing-keys.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** What an archive knows of the log: closed days, and records of one day. */
export type KnownHeads = { seals?: number | undefined; day?: { date: string; size: number } | undefined }

const Size = z.coerce
  .number()
  .int()
  .min(0)
  .max(2 ** 31)
/** The fields of a query string that name these heads. */
export const knownHeads = { seals: Size.optional(), day: Day.optional(), size: Size.optional() }

/** Those fields of a query string. A size in another spelling, such as 1e9, is not one. */
export const headsIn = (query: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query)
      .filter(([field]) => Object.hasOwn(knownHeads, field))
      .map(([field, text]) => [field, field === 'day' || /^\d{1,10}$/.test(text) ? text : 'no size']),
  )

export const knownHeadsOf = ({ seals, day, size }: z.infer<z.ZodObject<typeof knownHeads>>): KnownHeads => ({
  seals,
  day: day === undefined || size === undefined ? undefined : { date: day, size },
})

/**
 * The file with which a stranger checks an archive: every key that ever sealed archives of the tenant or signed its log,
 * with its validity, each signed by its predecessor; the witnesses; and the newest signed heads, with a proof that they continue
 * `known`.
 * lib/verify/origin.ts and freshness.ts read it.
 */
export async function logKeysFile(tx: Transaction, tenant: LogOwner, known: KnownHeads): Promise<JsonObject> {
  const keys = await Promise.all(
    (['evidence', 'log'] as const).map(async (purpose) =>
      keyEntries(tenant, purpose, await signingKeys(tx, tenant.id, purpose)),
    ),
  )
  return {
    type: 'countersign-log-keys-v1',
    tenant: tenant.externalId,
    issuedAt: new Date().toISOString(),
    keys: keys.flat(),
    witnesses: (await loadWitnesses(runtime().config)).map(({ key: { name, vkey } }) => ({ name, vkey })),
    heads: { seals: await sealsHead(tx, tenant, known.seals), day: await dayHead(tx, tenant, known.day) },
  }
}

/** The current key first. `keys` come in that order, then retired ones, the last retired first. */
function keyEntries(tenant: LogOwner, purpose: 'evidence' | 'log', keys: readonly SigningKey[]): JsonObject[] {
  return keys.map((key, index) => {
    const entry = keyEntry(tenant, purpose, key, keys[index + 1])
    return { ...entry, words: wordsOf(entry.fingerprint.replace('sha256:', '')).join(' ') }
  })
}

async function sealsHead(tx: Transaction, tenant: LogOwner, known: number | undefined): Promise<JsonObject | null> {
  const last = await findLatestSealCheckpoint(tx, tenant.id)
  if (last === undefined) return null
  return {
    note: await cosignedNote(tx, tenant.id, last),
    ...(await proofFrom(tx, { tenantId: tenant.id, name: sealLog }, known, last.size)),
  }
}

/** Of the day that the archive knows, or of today. */
async function dayHead(tx: Transaction, tenant: LogOwner, known: KnownHeads['day']): Promise<JsonObject | null> {
  const date = known?.date ?? (await today(tx))
  const last = await findLatestCheckpoint(tx, tenant.id, date)
  if (last === undefined) return null
  return {
    date,
    note: last.note,
    ...(await proofFrom(tx, { tenantId: tenant.id, name: date }, known?.size, last.size)),
  }
}

/** Nothing for a size that the log does not have: the reader then sees that it went back. */
async function proofFrom(
  tx: Transaction,
  log: { tenantId: string; name: string },
  from: number | undefined,
  to: number,
): Promise<JsonObject> {
  if (from === undefined || from < 1 || from > to) return {}
  const proof = await consistencyAt(tx, log, from, to)
  return proof === undefined ? {} : { consistency: proof.map((node) => node.toString('base64')) }
}
