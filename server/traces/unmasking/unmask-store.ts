import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/** Finds the currently valid grant of this member that expires last. */
export const findGrant = (tx: Transaction, tenantId: string, traceId: string, memberId: string) =>
  tx
    .selectFrom('unmaskGrants')
    .select(['id', 'fields', 'purpose', 'justification', 'expiresAt'])
    .where('tenantId', '=', tenantId)
    .where('traceId', '=', traceId)
    .where('memberId', '=', memberId)
    .where('status', '=', 'active')
    .where('expiresAt', '>', sql<Date>`now()`)
    .orderBy('expiresAt', 'desc')
    .limit(1)
    .executeTakeFirst()

export async function insertGrant(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    traceId: string
    memberId: string
    fields: string[] | null
    purpose: string
    justification: string
    status: 'pending' | 'active'
    approvalId: string | null
    /** Null if it begins with an approval. */
    lastsSeconds: number | null
  },
): Promise<{ expiresAt: Date | null }> {
  const { lastsSeconds, ...values } = row
  return await tx
    .insertInto('unmaskGrants')
    .values({ ...values, expiresAt: endOf(lastsSeconds) })
    .returning('expiresAt')
    .executeTakeFirstOrThrow()
}

/** By the database's clock, so that a wrong clock of a node doesn't extend a grant. */
const endOf = (lastsSeconds: number | null) =>
  lastsSeconds === null ? null : sql<string>`now() + make_interval(secs => ${lastsSeconds})`

/** Decides a pending grant. Returns undefined if it is no longer pending. */
export const setGrantDecided = (
  tx: Transaction,
  tenantId: string,
  id: string,
  status: 'active' | 'rejected',
  lastsSeconds: number | null,
) =>
  tx
    .updateTable('unmaskGrants')
    .set({ status, expiresAt: endOf(lastsSeconds) })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .returning(['id', 'traceId', 'memberId', 'expiresAt'])
    .executeTakeFirst()

export async function insertReveal(
  tx: Transaction,
  row: {
    tenantId: string
    auditId: string
    traceId: string
    spanId: string | null
    memberId: string
    grantId: string | null
    purpose: string
    justification: string
  },
): Promise<void> {
  await tx.insertInto('traceReveals').values(row).execute()
}

export const listReveals = (tx: Transaction, tenantId: string, traceId: string, spanId: string | undefined) => {
  const query = tx
    .selectFrom('traceReveals as reveal')
    .innerJoin('members as member', (join) =>
      join.onRef('member.tenantId', '=', 'reveal.tenantId').onRef('member.id', '=', 'reveal.memberId'),
    )
    .select(['reveal.auditId', 'reveal.spanId', 'reveal.memberId', 'reveal.purpose', 'reveal.justification'])
    .select(['reveal.revealedAt', 'member.displayName', 'member.username', 'member.kind'])
    .where('reveal.tenantId', '=', tenantId)
    .where('reveal.traceId', '=', traceId)
    .orderBy('reveal.auditId', 'desc')
    .limit(50)
  return (
    spanId === undefined
      ? query
      : query.where(({ or, eb }) => or([eb('reveal.spanId', 'is', null), eb('reveal.spanId', '=', spanId)]))
  ).execute()
}
