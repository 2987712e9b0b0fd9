import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'
import { readSeats } from '#server/tenants/provider/seat-store.ts'

const columns = ['id', 'delegatorId', 'delegateId', 'fromAt', 'untilAt', 'reason', 'endedAt', 'revision'] as const

export async function insertDelegation(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    delegatorId: string
    delegateId: string
    fromAt: Date
    untilAt: Date
    reason: string
  },
): Promise<void> {
  await tx.insertInto('approverDelegations').values(row).execute()
}

export const findDelegation = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .selectFrom('approverDelegations')
    .select(columns)
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Until `tx` ends, no one else names a delegate for this member. */
export async function lockDelegationsBy(tx: Transaction, tenantId: string, delegatorId: string): Promise<void> {
  const key = `delegations\n${tenantId}\n${delegatorId}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx)
}

/** A delegation between the same people that has not ended, at a time within [fromAt, untilAt). */
export const findOverlapping = (
  tx: Transaction,
  tenantId: string,
  {
    delegatorId,
    delegateId,
    fromAt,
    untilAt,
  }: { delegatorId: string; delegateId: string; fromAt: Date; untilAt: Date },
) =>
  tx
    .selectFrom('approverDelegations')
    .select(columns)
    .where('tenantId', '=', tenantId)
    .where('delegatorId', '=', delegatorId)
    .where('delegateId', '=', delegateId)
    .where('endedAt', 'is', null)
    .where('fromAt', '<', untilAt)
    .where('untilAt', '>', fromAt)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()

/** Ends a delegation now. False when it has already ended or changed since `revision`. */
export async function setEnded(tx: Transaction, tenantId: string, id: string, revision: number): Promise<boolean> {
  const result = await tx
    .updateTable('approverDelegations')
    .set((e) => ({ endedAt: sql<Date>`clock_timestamp()`, revision: e('revision', '+', 1) }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('revision', '=', revision)
    .where('endedAt', 'is', null)
    .where('untilAt', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** One page, newest first; `memberId`: only delegations by or to this member. */
export function listDelegations(
  tx: Transaction,
  tenantId: string,
  { memberId, limit, cursor }: { memberId: string | undefined; limit: number; cursor: string | undefined },
) {
  let query = tx.selectFrom('approverDelegations').select(columns).where('tenantId', '=', tenantId)
  if (cursor !== undefined) query = query.where('id', '<', cursor)
  if (memberId !== undefined)
    query = query.where((e) => e.or([e('delegatorId', '=', memberId), e('delegateId', '=', memberId)]))
  return query.orderBy('id', 'desc').limit(limit).execute()
}

/** The active delegates of these members now, with the delegator's name. */
export const findActiveDelegates = (tx: Transaction, tenantId: string, delegatorIds: readonly string[]) =>
  tx
    .selectFrom('approverDelegations as delegation')
    .innerJoin('members as delegate', (join) =>
      join
        .onRef('delegate.tenantId', '=', 'delegation.tenantId')
        .onRef('delegate.id', '=', 'delegation.delegateId')
        .on('delegate.status', '=', 'active'),
    )
    .innerJoin('members as delegator', (join) =>
      join.onRef('delegator.tenantId', '=', 'delegation.tenantId').onRef('delegator.id', '=', 'delegation.delegatorId'),
    )
    .select([
      'delegate.id',
      'delegate.kind',
      'delegate.email',
      'delegate.roles',
      'delegator.id as delegatorId',
      'delegator.displayName as delegator',
    ])
    .where('delegation.tenantId', '=', tenantId)
    .where(sql<boolean>`delegation.delegator_id = any(${[...delegatorIds]}::uuid[])`)
    .where('delegation.endedAt', 'is', null)
    .where('delegation.fromAt', '<=', sql<Date>`clock_timestamp()`)
    .where('delegation.untilAt', '>', sql<Date>`clock_timestamp()`)
    .orderBy('delegation.id')
    .execute()

/** The active members for whom `delegateId` is currently the delegate, with their roles and the groups of their seats. */
export const findActiveDelegators = (tx: Transaction, tenantId: string, delegateId: string) =>
  delegators(tx, { tenantId, delegateId })

const delegators = fixedStatement({ tenantId: '', delegateId: '' }, (tx, { tenantId, delegateId }) =>
  readActiveDelegators(tx, tenantId, delegateId),
)

/** The same as part of a larger statement. */
export const readActiveDelegators = (tx: Transaction, tenantId: string, delegateId: string) =>
  tx
    .selectFrom('approverDelegations as delegation')
    .innerJoin('members as delegator', (join) =>
      join
        .onRef('delegator.tenantId', '=', 'delegation.tenantId')
        .onRef('delegator.id', '=', 'delegation.delegatorId')
        .on('delegator.status', '=', 'active'),
    )
    .innerJoin(readSeats(tx, tenantId).as('link'), 'link.memberId', 'delegator.id')
    .select(['delegator.id', 'delegator.displayName', 'delegator.roles', 'link.groupId'])
    .where('delegation.tenantId', '=', tenantId)
    .where('delegation.delegateId', '=', delegateId)
    .where('delegation.endedAt', 'is', null)
    .where('delegation.fromAt', '<=', sql<Date>`clock_timestamp()`)
    .where('delegation.untilAt', '>', sql<Date>`clock_timestamp()`)
    .orderBy('delegation.id')
