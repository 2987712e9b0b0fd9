import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ApiError } from '#lib/errors.ts'
import type { Transaction } from '#server/kernel/db/closing.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { type Adoption, adoptionOf, adoptionOfType, type KnownEnds } from './adopted.ts'
import { differenceIn } from './integrity-failed.ts'
import { listObjects, listUnlike } from './log-store.ts'
import { hasRightMac, rowDigest } from './state.ts'
import {
  type Checked,
  type Compared,
  readBelow,
  readObjects,
  readObjectsWithValues,
  readValuesOf,
  type Values,
} from './store.ts'
import { type BoundType, boundType, form, isBoundType } from './types.ts'

/**
 * Throws IntegrityFailed if one of the objects is not the one that the log commits to: changed, inserted or deleted by anyone
 * but this server. Objects that never existed pass. Throws "unavailable" instead if this process can't tell whether rows from
 * before this version are still being bound. Costs one statement.
 */
export async function requireBound(
  tx: Transaction,
  tenantId: string,
  type: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  const bound = boundType(type)
  const adoption = await adoptionOfType(tx, tenantId, bound)
  if (adoption === 'open') return
  await requireRight(tx, tenantId, bound, adoption, await readObjects(tx, bound, ids))
}

/**
 * The same for objects of several types, by type: also one statement, which only reads whether they are still as this process knows them.
 * Those that it does not know are read whole, in another one.
 */
export async function requireBoundTogether(
  tx: Transaction,
  tenantId: string,
  ids: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const asked: { bound: BoundType; ids: readonly string[]; adoption: Adoption }[] = []
  for (const [type, some] of Object.entries(ids)) {
    if (some.length === 0) continue
    const bound = boundType(type)
    const adoption = await adoptionOfType(tx, tenantId, bound)
    if (adoption !== 'open') asked.push({ bound, ids: some, adoption })
  }
  const seen = await readValuesOf(tx, asked)
  const others = asked.flatMap((one) => {
    const unknown = (seen.get(one.bound.type) ?? []).filter((row) => !isKnown(tenantId, one.bound, row))
    return unknown.length === 0 ? [] : [{ ...one, ids: unknown.map(({ id }) => id) }]
  })
  const found = await readObjectsWithValues(tx, others)
  for (const { bound, adoption } of others)
    await requireRight(tx, tenantId, bound, adoption, found.get(bound.type) ?? [])
}

/**
 * The same for objects that a larger statement has read, by type. Before a write that depends on them, it must have locked those that
 * may change. `before`: what was known before they were read. Throws "unavailable", too, if they have been adopted since.
 */
export async function requireFoundBound(
  tx: Transaction,
  tenantId: string,
  before: KnownEnds,
  found: Readonly<Record<string, readonly Checked[]>>,
): Promise<void> {
  for (const [type, objects] of Object.entries(found)) {
    const bound = boundType(type)
    const adoption = await adoptionOfType(tx, tenantId, bound)
    if (adoption === 'open') continue
    try {
      await requireRight(tx, tenantId, bound, adoption, objects)
    } catch (error) {
      if (before.all && (bound.later !== true || before.later)) throw error
      const ids = [...new Set(objects.map(({ id }) => id))]
      await requireRight(tx, tenantId, bound, adoption, await readObjects(tx, bound, ids))
      throw new ApiError('unavailable', 'The rows of this tenant have just been bound to its log. Send this again.')
    }
  }
}

/** The same for all objects below `parent`, such as the votes on an approval: none may be missing either. */
export async function requireBoundBelow(
  tx: Transaction,
  tenantId: string,
  type: string,
  parent: string,
): Promise<void> {
  const bound = boundType(type)
  const adoption = await adoptionOfType(tx, tenantId, bound)
  if (adoption === 'open') return
  await requireRight(tx, tenantId, bound, adoption, await readBelow(tx, bound, parent))
}

/** The same for all objects of a type, for types of which a tenant has few: none may be missing either. */
export async function requireAllBound(tx: Transaction, tenantId: string, type: string): Promise<void> {
  const bound = boundType(type)
  const adoption = await adoptionOfType(tx, tenantId, bound)
  if (adoption === 'open') return
  await requireRight(tx, tenantId, bound, adoption, await readBelow(tx, bound, undefined))
}

/**
 * The same for all objects that a record of the log commits to. It must not contain a later state of one than the stored one,
 * or another one of the same revision.
 */
export async function requireRecordBound(
  tx: Transaction,
  tenantId: string,
  { date, seq }: { date: string; seq: number },
): Promise<void> {
  const adoption = await adoptionOf(tx, tenantId)
  if (adoption === 'open') return
  const record = { date, from: seq, to: seq + 1 }
  const objects = await listObjects(tx, tenantId, record)
  for (const [type, ids] of objects) if (isBoundType(type)) await requireBound(tx, tenantId, type, ids)
  const [unlike] = objects.size === 0 ? [] : await listUnlike(tx, tenantId, record)
  if (unlike !== undefined)
    throw differenceIn(adoption, { tenantId, type: unlike.type, id: unlike.id, reason: whyUnlike(unlike) })
}

/** Why an object's stored state is not the one that the log contains. */
export const whyUnlike = ({ revision }: { revision: number }): string =>
  `The log contains revision ${revision} of it, and its stored state is another or an older one.`

async function requireRight(
  tx: Transaction,
  tenantId: string,
  bound: BoundType,
  adoption: Adoption,
  objects: readonly (Checked | (Checked & Values))[],
): Promise<void> {
  if (objects.length === 0) return
  const cipher = await tenantCipher(tx, tenantId)
  for (const one of objects) {
    if (isKnown(tenantId, bound, one)) continue
    const reason = whyTampered(cipher, bound, one)
    if (reason !== undefined) throw differenceIn(adoption, { tenantId, type: bound.type, id: one.id, reason })
    right.set(digestOf(tenantId, bound, one), true)
  }
}

/** A row that this transaction has written is checked at the COMMIT, as it was before. */
const isKnown = (tenantId: string, bound: BoundType, one: Checked | Values): boolean =>
  one.touched || right.has(digestOf(tenantId, bound, one))

/**
 * Owned by this module: what this process has compared and found right, as SHA-256 of the row and its state, or of their values. A list that
 * is read again costs a hash for each row instead of a comparison, which takes ten times as long.
 */
const right = new LRUCache<string, true>({ max: 20_000 })

/** Of an object with both, the digest of its values. */
function digestOf(tenantId: string, { type }: BoundType, one: Checked | Values): string {
  const { id } = one
  const text = 'values' in one ? ['values', one.values] : textsOf(one)
  return hash('sha256', [tenantId, type, id.length, id, ...text].join('\n'), 'base64')
}

function textsOf({ row, bound }: Compared): string[] {
  const { form: ofForm, revision, digest, auditId, mac } = bound ?? {}
  return [[ofForm, revision, digest?.toString('hex'), auditId, mac?.toString('hex')].join(), row ?? '']
}

/** Why an object of a tenant whose adoption has ended is not the one that the log commits to. */
export function whyTampered(
  cipher: TenantCipher,
  bound: BoundType,
  { id, row, bound: state }: Compared,
): string | undefined {
  if (state === null) return row === null ? undefined : 'It was inserted outside the server.'
  if (!hasRightMac(cipher, bound.type, id, state)) return 'Its bound state was not written by the server.'
  if (state.digest === null) return row === null ? undefined : 'It was deleted, and inserted again outside the server.'
  if (row === null) return 'It was deleted outside the server.'
  if (state.form !== form) return `Its state has the form ${state.form}, which this version does not know.`
  return rowDigest(cipher, bound, id, state.revision, row).equals(state.digest)
    ? undefined
    : 'It was changed outside the server.'
}
