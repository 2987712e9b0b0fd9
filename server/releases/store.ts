import { sql } from 'kysely'
import type { JsonValue } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { endProposalIn } from '#server/kernel/db/end-proposal.ts'
import { json } from '#server/kernel/db/json.ts'
import { pageLimit } from '#server/kernel/db/statements/steady-plan.ts'

const base = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('releases as release')
    .innerJoin('agents as agent', (join) =>
      join.onRef('agent.tenantId', '=', 'release.tenantId').onRef('agent.id', '=', 'release.agentId'),
    )
    .innerJoin('agentVersions as version', (join) =>
      join.onRef('version.tenantId', '=', 'release.tenantId').onRef('version.id', '=', 'release.agentVersionId'),
    )
    .select([
      'release.id',
      'release.agentId',
      'release.environment',
      'release.digest',
      'release.status',
      'release.approvalId',
      'release.proposedBy',
      'release.revision',
      'release.createdAt',
      'release.decidedAt',
      'agent.name as agentName',
      'agent.status as agentStatus',
      'version.version',
    ])
    .where('release.tenantId', '=', tenantId)

export const listReleases = (
  tx: Transaction,
  tenantId: string,
  agentId: string | undefined,
  limit: number,
  cursor: string | undefined,
) =>
  base(tx, tenantId)
    .$if(agentId !== undefined, (q) => q.where('release.agentId', '=', agentId ?? ''))
    .$if(cursor !== undefined, (q) => q.where('release.id', '<', cursor ?? ''))
    .orderBy('release.id', 'desc')
    .limit(pageLimit(limit, agentId))
    .execute()

export const findRelease = (tx: Transaction, tenantId: string, id: string) =>
  base(tx, tenantId).select('release.content').where('release.id', '=', id).executeTakeFirst()

/** The active release in an environment. */
export const findActiveRelease = (tx: Transaction, tenantId: string, agentId: string, environment: string) =>
  base(tx, tenantId)
    .select('release.content')
    .where('release.agentId', '=', agentId)
    .where('release.environment', '=', environment)
    .where('release.status', '=', 'active')
    .executeTakeFirst()

/** What the agent's active releases pin. */
export const listActiveContents = async (tx: Transaction, tenantId: string, agentId: string): Promise<unknown[]> =>
  (
    await tx
      .selectFrom('releases')
      .select('content')
      .where('tenantId', '=', tenantId)
      .where('agentId', '=', agentId)
      .where('status', '=', 'active')
      .execute()
  ).map(({ content }) => content)

/** Releases that people have approved at some time and whose manifest names this secret, newest first. */
export const listApprovedNaming = (
  tx: Transaction,
  tenantId: string,
  secret: string,
  limit: number,
  cursor: string | undefined,
) =>
  tx
    .selectFrom('releases')
    .select(['id', 'content'])
    .where('tenantId', '=', tenantId)
    .where('status', 'in', ['active', 'superseded', 'revoked'])
    .where(
      sql<boolean>`jsonb_path_exists(content, '$.spec.**.secretRef ? (@ == $name)', jsonb_build_object('name', ${secret}::text))`,
    )
    .$if(cursor !== undefined, (q) => q.where('id', '<', cursor ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

export async function insertRelease(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    agentId: string
    agentVersionId: string
    environment: string
    digest: string
    content: JsonValue
    approvalId: string
    proposedBy: string
  },
): Promise<void> {
  await tx
    .insertInto('releases')
    .values({ ...row, content: json(row.content), status: 'proposed' })
    .execute()
}

/** When two releases for the same agent and environment are approved concurrently, the second waits for the first to commit. */
export async function lockPlaceOf(tx: Transaction, tenantId: string, releaseId: string): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(concat_ws(' ', 'release', tenant_id, agent_id, environment), 0))
    from releases where tenant_id = ${tenantId} and id = ${releaseId}`.execute(tx)
}

/** Supersedes the active release of the same agent and environment, if this one is still proposed. Returns superseded ids. */
export const supersedeFor = (tx: Transaction, tenantId: string, releaseId: string) =>
  tx
    .updateTable('releases as old')
    .set((e) => ({ status: 'superseded', revision: e('old.revision', '+', 1) }))
    .from('releases as next')
    .where('old.tenantId', '=', tenantId)
    .where('next.tenantId', '=', tenantId)
    .where('next.id', '=', releaseId)
    .where('next.status', '=', 'proposed')
    .where('old.status', '=', 'active')
    .whereRef('old.agentId', '=', 'next.agentId')
    .whereRef('old.environment', '=', 'next.environment')
    .returning('old.id')
    .execute()

/** proposed → `status`. Undefined when the release is no longer proposed. */
export const setReleaseDecided = (
  tx: Transaction,
  tenantId: string,
  id: string,
  status: 'active' | 'rejected' | 'withdrawn',
) =>
  tx
    .updateTable('releases')
    .set((e) => ({ status, decidedAt: sql<Date>`clock_timestamp()`, revision: e('revision', '+', 1) }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'proposed')
    .returning(['id', 'agentId', 'environment', 'digest'])
    .executeTakeFirst()

export const setReleaseEnded = endProposalIn('releases')
