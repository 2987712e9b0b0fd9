import { sql } from 'kysely'
import { isJsonObject, type JsonValue } from '#lib/json.ts'
import { present } from '#server/kernel/content/committed.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { columns, contextOf, presentationOf, typed } from '../store.ts'
import { termsColumn } from '../terms/terms-store.ts'
import { shapeOf } from './shape.ts'

/** What is known about requests on the same object as another one. */
export type Repeats = {
  approvalId: string
  /** The last one that was approved before: before the decision, if there was one. */
  approvedId: string | null
  approvedAt: Date | null
  /** How many others are pending. */
  pending: number
}

/** Of these requests, those with another request on the same object. */
export async function findRepeats(tx: Transaction, tenantId: string, ids: readonly string[]): Promise<Repeats[]> {
  const { rows } = await sql<Repeats>`
    select a.id as "approvalId", p.id as "approvedId", p.decided_at as "approvedAt", n.pending
    from approvals a
    left join lateral (
      select b.id, b.decided_at from approvals b
      where b.tenant_id = a.tenant_id and b.object_digest = a.object_digest and b.id <> a.id and b.status = 'approved'
        and (a.decided_at is null or b.decided_at < a.decided_at)
      order by b.decided_at desc limit 1) p on true
    left join lateral (
      select count(*)::integer as pending from (
        select from approvals b
        where b.tenant_id = a.tenant_id and b.object_digest = a.object_digest and b.id <> a.id and b.decided_at is null
          and b.status = 'pending'
        limit 100) others) n on true
    where a.tenant_id = ${tenantId} and a.id = any(${[...ids]}::uuid[]) and a.object_digest is not null
      and (p.id is not null or n.pending > 0)`.execute(tx)
  return rows
}

/** Decided by people, before this request was decided or until now. The last ones first. */
async function findBefore(
  tx: Transaction,
  tenantId: string,
  id: string,
  by: 'shape_digest' | 'object_digest',
  limit: number,
) {
  const rows = await tx
    .selectFrom('approvals')
    .select(columns)
    .select([termsColumn.as('terms'), sql<boolean>`false`.as('expired')])
    .where('tenantId', '=', tenantId)
    .where('id', '<>', id)
    .where('decidedAt', 'is not', null)
    .where('status', 'in', ['approved', 'rejected'])
    .where(
      sql<boolean>`${sql.ref(by)} = (select ${sql.ref(`o.${by}`)} from approvals o where o.tenant_id = ${tenantId} and o.id = ${id})`,
    )
    .where(
      sql<boolean>`decided_at < coalesce((select o.decided_at from approvals o where o.tenant_id = ${tenantId} and o.id = ${id}), 'infinity')`,
    )
    .orderBy('decidedAt', 'desc')
    .limit(limit)
    .execute()
  const cipher = await tenantCipher(tx, tenantId)
  return rows.map((row) => typed(cipher, row))
}

/** The same action in the same environment. */
export const findSameShape = (tx: Transaction, tenantId: string, id: string, limit: number) =>
  findBefore(tx, tenantId, id, 'shape_digest', limit)

/** The same action on the same object. */
export const findSameObject = (tx: Transaction, tenantId: string, id: string, limit: number) =>
  findBefore(tx, tenantId, id, 'object_digest', limit)

/** What these requests show, and by which the decisions on the same action are found. */
export async function findShapes(tx: Transaction, tenantId: string, ids: readonly string[]) {
  const rows = await tx
    .selectFrom('approvals')
    .select(['id', 'shapeDigest as shape', 'presentation'])
    .where('tenantId', '=', tenantId)
    .where('id', 'in', [...ids])
    .execute()
  const cipher = await tenantCipher(tx, tenantId)
  return rows.map((row) => ({ ...row, presentation: presentationOf(cipher, row) }))
}

/** The last `limit` requests of each shape that people decided. */
export async function listDecidedOf(tx: Transaction, tenantId: string, shapes: readonly string[], limit: number) {
  if (shapes.length === 0) return []
  const { rows } = await sql<{ shape: string; id: string; status: string; presentation: Buffer | null }>`
    select of_shape.digest as shape, decided.id, decided.status, decided.presentation
    from unnest(${[...shapes]}::text[]) of_shape (digest)
    cross join lateral (
      select a.id, a.status, a.presentation from approvals a
      where a.tenant_id = ${tenantId} and a.shape_digest = of_shape.digest and a.decided_at is not null
        and a.status in ('approved', 'rejected')
      order by a.decided_at desc limit ${limit}) decided`.execute(tx)
  const cipher = await tenantCipher(tx, tenantId)
  return rows.map((row) => ({ ...row, presentation: presentationOf(cipher, row) }))
}

/** The requests of the same shape that people decided, the last ones first, with what they bind. */
export async function findDecidedLike(
  tx: Transaction,
  tenantId: string,
  id: string,
  { requests, days }: { requests: number; days: number },
) {
  const rows = await tx
    .selectFrom('approvals')
    .select(['id', 'status', 'requestedAt', 'payload', 'presentation'])
    .where('tenantId', '=', tenantId)
    .where('status', 'in', ['approved', 'rejected'])
    .where('decidedAt', '>', sql<Date>`clock_timestamp() - make_interval(days => ${days})`)
    .where(
      sql<boolean>`shape_digest = (select o.shape_digest from approvals o where o.tenant_id = ${tenantId} and o.id = ${id})`,
    )
    .orderBy('decidedAt', 'desc')
    .limit(requests)
    .execute()
  const cipher = await tenantCipher(tx, tenantId)
  return rows.map((row) => {
    const payload = present(row.payload)
    const shown = present(row.presentation)
    const opened = payload === null ? null : cipher.decryptJson(payload, contextOf(row.id, 'payload'))
    const described = shown === null ? null : cipher.decryptJson(shown, contextOf(row.id, 'presentation'))
    return {
      id: row.id,
      status: row.status,
      requestedAt: row.requestedAt,
      payload: isJsonObject(opened) ? opened : undefined,
      title:
        isJsonObject(described) && typeof described.title === 'string' ? described.title : 'A request that was erased',
    }
  })
}

/** Fills in the digests of some requests of earlier versions, in the order of their ids. Returns where to continue. */
export async function fillShapes(
  tx: Transaction,
  tenantId: string,
  after: string | undefined,
  limit: number,
): Promise<string | undefined> {
  const rows = await tx
    .selectFrom('approvals')
    .select(['id', 'payload'])
    .where('tenantId', '=', tenantId)
    .where('shapeDigest', 'is', null)
    .where(sql<boolean>`not content_gone(payload)`)
    .$if(after !== undefined, (q) => q.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  const cipher = await tenantCipher(tx, tenantId)
  for (const { id, payload } of rows) {
    const value = openedOrNull(payload, id)
    if (!isJsonObject(value)) continue
    const { shapeDigest, objectDigest } = shapeOf(cipher, value)
    await tx
      .updateTable('approvals')
      .set({ shapeDigest, objectDigest })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute()
  }
  return rows.length < limit ? undefined : rows.at(-1)?.id

  /** Null for what can't be decrypted: its readers are told, and the requests after it must not wait for it. */
  function openedOrNull(payload: Buffer | null, id: string): JsonValue {
    const stored = present(payload)
    try {
      return stored === null ? null : cipher.decryptJson(stored, contextOf(id, 'payload'))
    } catch {
      return null
    }
  }
}
