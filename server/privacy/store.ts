import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import { pageLimit } from '#server/kernel/db/statements/steady-plan.ts'

export async function insertErasure(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    status: 'pending'
    subject: Buffer
    subjectDigest: string
    reason: string
    requestedBy: string
  },
): Promise<void> {
  await tx.insertInto('erasures').values(row).execute()
}

export const findErasure = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .selectFrom('erasures')
    .select(['status', 'subject', 'waitsFor'])
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Returns pending erasures without an unfinished job. */
export async function listForgotten(tx: Transaction, tenantId: string, queue: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select e.id from erasures e where e.tenant_id = ${tenantId} and e.status = 'pending'
      and not exists (select from pgboss.job j where j.name = ${queue} and j.state in ('created', 'active', 'retry')
        and j.data ->> 'id' = e.id::text)
    order by e.id`.execute(tx)
  return rows.map((row) => row.id)
}

export type Counts = { spans: number; values: number; records: number }

/** Adds to the counts. A job that is repeated after a crash doesn't find content that is already erased. */
export async function addErased(
  tx: Transaction,
  tenantId: string,
  id: string,
  { spans, values, records }: Counts,
): Promise<void> {
  await tx
    .updateTable('erasures')
    .set({
      spans: sql`spans + ${spans}`,
      erasedValues: sql`erased_values + ${values}`,
      records: sql`records + ${records}`,
    })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/** Content that an erasure did not remove: under a legal hold, or not decryptable. */
export type Left = { spans: number; records: number; unreadable: number }

/** All content has been searched. The remaining content waits for these to end. */
export async function setWaiting(
  tx: Transaction,
  tenantId: string,
  id: string,
  waitsFor: readonly string[],
  left: Left,
): Promise<void> {
  await tx
    .updateTable('erasures')
    .set({
      waitsFor: [...waitsFor],
      heldSpans: sql`held_spans + ${left.spans}`,
      heldRecords: sql`held_records + ${left.records}`,
      unreadable: sql`unreadable + ${left.unreadable}`,
    })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .execute()
}

/** Completes the erasure and deletes the subject itself. Undefined if it was already completed. */
export const setErasureCompleted = (tx: Transaction, tenantId: string, id: string, left: Left) =>
  tx
    .updateTable('erasures')
    .set({
      status: 'completed',
      subject: null,
      waitsFor: [],
      heldSpans: sql`held_spans + ${left.spans}`,
      heldRecords: sql`held_records + ${left.records}`,
      unreadable: sql`unreadable + ${left.unreadable}`,
      completedAt: sql<Date>`now()`,
    })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .returning(['subjectDigest', 'spans', 'erasedValues', 'records', 'heldSpans', 'heldRecords', 'unreadable'])
    .executeTakeFirst()

/** Newest first. */
export const listErasures = (tx: Transaction, tenantId: string, limit: number, cursor: string | undefined) => {
  const query = tx
    .selectFrom('erasures as erasure')
    .innerJoin('members as member', (join) =>
      join.onRef('member.tenantId', '=', 'erasure.tenantId').onRef('member.id', '=', 'erasure.requestedBy'),
    )
    .select(['erasure.id', 'erasure.status', 'erasure.subjectDigest', 'erasure.reason', 'erasure.spans'])
    .select(['erasure.erasedValues', 'erasure.heldSpans', 'erasure.createdAt', 'erasure.completedAt'])
    .select(['erasure.records', 'erasure.heldRecords', 'erasure.unreadable', 'erasure.waitsFor'])
    .select(['member.id as memberId', 'member.displayName', 'member.username', 'member.kind'])
    .where('erasure.tenantId', '=', tenantId)
    .orderBy('erasure.id', 'desc')
    .limit(pageLimit(limit))
  return (cursor === undefined ? query : query.where('erasure.id', '<', cursor)).execute()
}

export async function insertHold(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    traceId: string | null
    fromDay: string | null
    toDay: string | null
    reason: string
    createdBy: string
  },
): Promise<void> {
  await tx.insertInto('legalHolds').values(row).execute()
}

export const findHold = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .selectFrom('legalHolds')
    .select(['revision', 'releasedAt'])
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Returns the new revision. Undefined if it has another revision or is already released. */
export async function setHoldReleased(
  tx: Transaction,
  tenantId: string,
  hold: { id: string; revision: number; by: string; reason: string },
): Promise<number | undefined> {
  const { rows } = await sql<{ revision: number | null }>`
    select release_hold(${tenantId}, ${hold.id}, ${hold.revision}, ${hold.by}, ${hold.reason}) as revision`.execute(tx)
  return rows[0]?.revision ?? undefined
}

/** Newest first. */
export const listHolds = (tx: Transaction, tenantId: string, limit: number, cursor: string | undefined) => {
  const query = tx
    .selectFrom('legalHolds as hold')
    .innerJoin('members as member', (join) =>
      join.onRef('member.tenantId', '=', 'hold.tenantId').onRef('member.id', '=', 'hold.createdBy'),
    )
    .select(['hold.id', 'hold.traceId', 'hold.fromDay', 'hold.toDay', 'hold.reason', 'hold.createdAt'])
    .select(['hold.releasedAt', 'hold.releaseReason', 'hold.revision'])
    .select(['member.id as memberId', 'member.displayName', 'member.username', 'member.kind'])
    .where('hold.tenantId', '=', tenantId)
    .orderBy('hold.id', 'desc')
    .limit(pageLimit(limit))
  return (cursor === undefined ? query : query.where('hold.id', '<', cursor)).execute()
}
