import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

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

type Held = { spans: number; records: number }

/** All content has been searched. The remaining content waits for these to end. */
export async function setWaiting(
  tx: Transaction,
  tenantId: string,
  id: string,
  waitsFor: readonly string[],
  held: Held,
): Promise<void> {
  await tx
    .updateTable('erasures')
    .set({
      waitsFor: [...waitsFor],
      heldSpans: sql`held_spans + ${held.spans}`,
      heldRecords: sql`held_records + ${held.records}`,
    })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .execute()
}

/** Completes the erasure and deletes the subject itself. Undefined if it was already completed. */
export const setErasureCompleted = (tx: Transaction, tenantId: string, id: string, held: Held) =>
  tx
    .updateTable('erasures')
    .set({
      status: 'completed',
      subject: null,
      waitsFor: [],
      heldSpans: sql`held_spans + ${held.spans}`,
      heldRecords: sql`held_records + ${held.records}`,
      completedAt: sql<Date>`now()`,
    })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .returning(['subjectDigest', 'spans', 'erasedValues', 'records', 'heldSpans', 'heldRecords'])
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
    .select(['erasure.records', 'erasure.heldRecords', 'erasure.waitsFor'])
    .select(['member.id as memberId', 'member.displayName', 'member.username', 'member.kind'])
    .where('erasure.tenantId', '=', tenantId)
    .orderBy('erasure.id', 'desc')
    .limit(limit)
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

/** Undefined if it has another revision or is already released. */
export const setHoldReleased = (
  tx: Transaction,
  tenantId: string,
  hold: { id: string; revision: number; by: string; reason: string },
) =>
  tx
    .updateTable('legalHolds')
    .set({
      revision: sql`revision + 1`,
      releasedBy: hold.by,
      releasedAt: sql<Date>`now()`,
      releaseReason: hold.reason,
    })
    .where('tenantId', '=', tenantId)
    .where('id', '=', hold.id)
    .where('revision', '=', hold.revision)
    .where('releasedAt', 'is', null)
    .returning('revision')
    .executeTakeFirst()

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
    .limit(limit)
  return (cursor === undefined ? query : query.where('hold.id', '<', cursor)).execute()
}
