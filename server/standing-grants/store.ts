import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'
import { pageLimit } from '#server/kernel/db/statements/steady-plan.ts'
import type { DecidingPolicy } from '#server/policies/decisions/deciding-set.ts'

export type GrantRow = NonNullable<Awaited<ReturnType<typeof findStandingGrant>>>

export const findStandingGrant = (tx: Transaction, tenantId: string, id: string) =>
  tx.selectFrom('standingGrants').selectAll().where('tenantId', '=', tenantId).where('id', '=', id).executeTakeFirst()

export async function insertGrant(
  tx: Transaction,
  {
    policies,
    ...row
  }: {
    tenantId: string
    id: string
    sourceId: string
    approvalId: string
    agentId: string
    releaseId: string
    environment: string
    resource: string
    policies: readonly DecidingPolicy[]
    groupId: string
    proposedBy: string
    maxUses: number
    currency: string | null
    maxMicros: number | null
    untilAt: Date
  },
): Promise<void> {
  await tx
    .insertInto('standingGrants')
    .values({ ...row, policies: json(policies.map((policy) => ({ ...policy }))) })
    .execute()
}

/** Whether a grant from this request is proposed or active. */
export async function hasOpenGrant(tx: Transaction, tenantId: string, sourceId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('standingGrants')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('sourceId', '=', sourceId)
    .where('status', 'in', ['proposed', 'active'])
    .executeTakeFirst()
  return row !== undefined
}

/** More active grants than this for one tool are not searched: a person decides. */
const searched = 20

/** The active grants for a tool of an agent in an environment, the oldest first. */
export const findActiveGrants = (
  tx: Transaction,
  tenantId: string,
  {
    agentId,
    releaseId,
    environment,
    resource,
  }: { agentId: string; releaseId: string; environment: string; resource: string },
) =>
  tx
    .selectFrom('standingGrants')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('agentId', '=', agentId)
    .where('environment', '=', environment)
    .where('resource', '=', resource)
    .where('releaseId', '=', releaseId)
    .where('status', '=', 'active')
    .where('untilAt', '>', sql<Date>`clock_timestamp()`)
    .orderBy('id')
    .limit(searched)
    .execute()

/** proposed → `status`. Undefined when it is no longer proposed. */
export const setGrantDecided = (
  tx: Transaction,
  tenantId: string,
  id: string,
  status: 'active' | 'rejected' | 'withdrawn',
  approvedBy: string | null,
) =>
  tx
    .updateTable('standingGrants')
    .set((e) => ({
      status,
      approvedBy,
      decidedAt: sql<Date>`clock_timestamp()`,
      endedAt: status === 'active' ? null : sql<Date>`clock_timestamp()`,
      revision: e('revision', '+', 1),
    }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'proposed')
    .returningAll()
    .executeTakeFirst()

/** active → `status`. Undefined when it is no longer active, or for `expired` before its time. */
export const setGrantEnded = (tx: Transaction, tenantId: string, id: string, status: 'revoked' | 'expired') =>
  tx
    .updateTable('standingGrants')
    .set((e) => ({ status, endedAt: sql<Date>`clock_timestamp()`, revision: e('revision', '+', 1) }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'active')
    .$if(status === 'expired', (q) => q.where('untilAt', '<=', sql<Date>`clock_timestamp()`))
    .returningAll()
    .executeTakeFirst()

/**
 * Takes one use and this amount from an active grant, in one statement: of calls at the same moment, only as many get one as
 * are left. Undefined when it ended, or has less than this left.
 */
export const takeUse = (tx: Transaction, tenantId: string, id: string, micros: number | null) =>
  tx
    .updateTable('standingGrants')
    .set((e) => ({
      uses: e('uses', '+', 1),
      usedMicros: sql<number>`used_micros + ${micros ?? 0}::bigint`,
      status: sql<string>`case when uses + 1 = max_uses then 'used_up' else status end`,
      endedAt: sql<Date>`case when uses + 1 = max_uses then clock_timestamp() end`,
      revision: e('revision', '+', 1),
    }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'active')
    .where('untilAt', '>', sql<Date>`clock_timestamp()`)
    .where(sql<boolean>`uses < max_uses`)
    .where(sql<boolean>`(max_micros is null or used_micros + ${micros ?? 0}::bigint <= max_micros)`)
    .returning(['uses', 'maxUses', 'status'])
    .executeTakeFirst()

export async function insertUse(
  tx: Transaction,
  row: {
    tenantId: string
    grantId: string
    number: number
    decisionId: string
    executionId: string | null
    micros: number | null
    auditId: string
  },
): Promise<void> {
  await tx.insertInto('standingGrantUses').values(row).execute()
}

/** Newest first. */
export const listGrantRows = (
  tx: Transaction,
  tenantId: string,
  { agentId, status }: { agentId?: string | undefined; status?: string | undefined },
  limit: number,
  cursor: string | undefined,
) =>
  tx
    .selectFrom('standingGrants')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .$if(agentId !== undefined, (q) => q.where('agentId', '=', agentId ?? ''))
    .$if(status !== undefined, (q) => q.where('status', '=', status ?? ''))
    .$if(cursor !== undefined, (q) => q.where('id', '<', cursor ?? ''))
    .orderBy('id', 'desc')
    .limit(pageLimit(limit, agentId, status))
    .execute()

/** The last ones first. `before`: a number. */
export const listUseRows = (
  tx: Transaction,
  tenantId: string,
  grantId: string,
  limit: number,
  before: number | undefined,
) =>
  tx
    .selectFrom('standingGrantUses')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('grantId', '=', grantId)
    .$if(before !== undefined, (q) => q.where('number', '<', before ?? 0))
    .orderBy('number', 'desc')
    .limit(limit)
    .execute()
