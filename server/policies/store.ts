import { sql } from 'kysely'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'

// ---------------------------------------------------------------- policies and their versions

const policyRows = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('policies as policy')
    .selectAll('policy')
    .select((e) =>
      e
        .selectFrom('policyVersions as version')
        .select((v) => v.fn.max('version.version').as('latest'))
        .where('version.tenantId', '=', tenantId)
        .whereRef('version.policyId', '=', 'policy.id')
        .where('version.status', '=', 'published')
        .as('latestPublishedVersion'),
    )
    .where('policy.tenantId', '=', tenantId)

export type PolicyRow = NonNullable<Awaited<ReturnType<typeof findPolicy>>>

export const findPolicy = (tx: Transaction, tenantId: string, id: string) =>
  policyRows(tx, tenantId).where('policy.id', '=', id).executeTakeFirst()

export const listPolicies = (tx: Transaction, tenantId: string, limit: number, cursor: string | undefined) =>
  policyRows(tx, tenantId)
    .$if(cursor !== undefined, (q) => q.where('policy.id', '<', cursor ?? ''))
    .orderBy('policy.id', 'desc')
    .limit(limit)
    .execute()

/** Gives the time of creation, or undefined when the name is taken. */
export const insertPolicy = (
  tx: Transaction,
  row: { tenantId: string; id: string; name: string; description: string; createdBy: string },
) =>
  tx
    .insertInto('policies')
    .values(row)
    .onConflict((conflict) => conflict.columns(['tenantId', 'name']).doNothing())
    .returning('createdAt')
    .executeTakeFirst()

/** Versions of one policy are numbered one after the other. */
export const lockPolicy = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .selectFrom('policies')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export type VersionRow = Awaited<ReturnType<typeof insertVersion>>

const versionRows = (tx: Transaction, tenantId: string, policyId: string) =>
  tx.selectFrom('policyVersions').selectAll().where('tenantId', '=', tenantId).where('policyId', '=', policyId)

export const findVersion = (tx: Transaction, tenantId: string, policyId: string, version: number) =>
  versionRows(tx, tenantId, policyId).where('version', '=', version).executeTakeFirst()

/** Newest first, older than version `before`. */
export const listVersions = (tx: Transaction, tenantId: string, policyId: string, limit: number, before?: number) =>
  versionRows(tx, tenantId, policyId)
    .$if(before !== undefined, (q) => q.where('version', '<', before ?? 0))
    .orderBy('version', 'desc')
    .limit(limit)
    .execute()

export const insertVersion = (
  tx: Transaction,
  row: { tenantId: string; policyId: string; version: number; source: string; digest: string; createdBy: string },
) =>
  tx
    .insertInto('policyVersions')
    .values({ ...row, status: 'draft' })
    .returningAll()
    .executeTakeFirstOrThrow()

/** draft → published, once. */
export const setVersionPublished = (tx: Transaction, tenantId: string, policyId: string, version: number) =>
  tx
    .updateTable('policyVersions')
    .set({ status: 'published', publishedAt: sql<Date>`clock_timestamp()` })
    .where('tenantId', '=', tenantId)
    .where('policyId', '=', policyId)
    .where('version', '=', version)
    .where('status', '=', 'draft')
    .returningAll()
    .executeTakeFirst()

// ---------------------------------------------------------------- bindings

/** The agent that a binding is for, as its newest version describes it. */
export const findBoundAgent = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .selectFrom('agents as agent')
    .innerJoin('agentVersions as version', (join) =>
      join.onRef('version.tenantId', '=', 'agent.tenantId').onRef('version.agentId', '=', 'agent.id'),
    )
    .select(['agent.id', 'agent.name', 'agent.displayName', 'agent.status', 'version.version'])
    .where('agent.tenantId', '=', tenantId)
    .where('agent.id', '=', id)
    .orderBy('version.id', 'desc')
    .limit(1)
    .executeTakeFirst()

type Place = { agentId: string; environment: string; policyId: string }

export const findActiveBinding = (tx: Transaction, tenantId: string, { agentId, environment, policyId }: Place) =>
  tx
    .selectFrom('policyBindings')
    .select(['id', 'policyVersion', 'mode'])
    .where('tenantId', '=', tenantId)
    .where('agentId', '=', agentId)
    .where('environment', '=', environment)
    .where('policyId', '=', policyId)
    .where('status', '=', 'active')
    .executeTakeFirst()

export async function insertBinding(
  tx: Transaction,
  row: Place & {
    tenantId: string
    id: string
    policyVersion: number
    mode: 'enforce' | 'shadow'
    approvalId: string
    proposedBy: string
  },
): Promise<void> {
  await tx
    .insertInto('policyBindings')
    .values({ ...row, status: 'proposed' })
    .execute()
}

export const listBindings = (
  tx: Transaction,
  tenantId: string,
  agentId: string | undefined,
  limit: number,
  cursor: string | undefined,
) =>
  tx
    .selectFrom('policyBindings as binding')
    .innerJoin('agents as agent', (join) =>
      join.onRef('agent.tenantId', '=', 'binding.tenantId').onRef('agent.id', '=', 'binding.agentId'),
    )
    .innerJoin('policies as policy', (join) =>
      join.onRef('policy.tenantId', '=', 'binding.tenantId').onRef('policy.id', '=', 'binding.policyId'),
    )
    .selectAll('binding')
    .select(['agent.name as agentName', 'policy.name as policyName'])
    .where('binding.tenantId', '=', tenantId)
    .$if(agentId !== undefined, (q) => q.where('binding.agentId', '=', agentId ?? ''))
    .$if(cursor !== undefined, (q) => q.where('binding.id', '<', cursor ?? ''))
    .orderBy('binding.id', 'desc')
    .limit(limit)
    .execute()

/** Of two approvals for the same agent, environment and policy, the second waits for the first to commit. */
export async function lockPlaceOf(tx: Transaction, tenantId: string, bindingId: string): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(
      concat_ws(' ', 'policy binding', tenant_id, agent_id, environment, policy_id), 0))
    from policy_bindings where tenant_id = ${tenantId} and id = ${bindingId}`.execute(tx)
}

/** The active binding of the same agent, environment and policy makes room for one that is still proposed. */
export const supersedeFor = (tx: Transaction, tenantId: string, bindingId: string) =>
  tx
    .updateTable('policyBindings as old')
    .set((e) => ({ status: 'superseded', revision: e('old.revision', '+', 1) }))
    .from('policyBindings as next')
    .where('old.tenantId', '=', tenantId)
    .where('old.status', '=', 'active')
    .where('next.tenantId', '=', tenantId)
    .where('next.id', '=', bindingId)
    .where('next.status', '=', 'proposed')
    .whereRef('old.agentId', '=', 'next.agentId')
    .whereRef('old.environment', '=', 'next.environment')
    .whereRef('old.policyId', '=', 'next.policyId')
    .returning(['old.id', 'old.policyVersion'])
    .execute()

/** proposed → `status`, once. */
export const setBindingDecided = (
  tx: Transaction,
  tenantId: string,
  id: string,
  status: 'active' | 'rejected' | 'withdrawn',
) =>
  tx
    .updateTable('policyBindings')
    .set((e) => ({ status, decidedAt: sql<Date>`clock_timestamp()`, revision: e('revision', '+', 1) }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'proposed')
    .returningAll()
    .executeTakeFirst()

// ---------------------------------------------------------------- decisions

export async function hasActiveBinding(
  tx: Transaction,
  tenantId: string,
  agentId: string,
  environment: string,
): Promise<boolean> {
  const row = await enforced(tx, tenantId, agentId, environment).select('binding.id').limit(1).executeTakeFirst()
  return row !== undefined
}

/** The published texts that decide for an agent in an environment, in a fixed order. */
export const listEnforcedPolicies = (tx: Transaction, tenantId: string, agentId: string, environment: string) =>
  enforced(tx, tenantId, agentId, environment)
    .innerJoin('policies as policy', (join) =>
      join.onRef('policy.tenantId', '=', 'binding.tenantId').onRef('policy.id', '=', 'binding.policyId'),
    )
    .innerJoin('policyVersions as version', (join) =>
      join
        .onRef('version.tenantId', '=', 'binding.tenantId')
        .onRef('version.policyId', '=', 'binding.policyId')
        .onRef('version.version', '=', 'binding.policyVersion'),
    )
    .select(['policy.id as policyId', 'policy.name', 'version.version', 'version.digest', 'version.source'])
    .orderBy('policy.name')
    .execute()

const enforced = (tx: Transaction, tenantId: string, agentId: string, environment: string) =>
  tx
    .selectFrom('policyBindings as binding')
    .where('binding.tenantId', '=', tenantId)
    .where('binding.agentId', '=', agentId)
    .where('binding.environment', '=', environment)
    .where('binding.status', '=', 'active')
    .where('binding.mode', '=', 'enforce')

/** Decisions are only ever added. */
export async function insertDecision(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    agentId: string
    releaseId: string
    executionId: string
    stepId: string
    environment: string
    action: string
    resource: string
    effect: string
    obligations: JsonValue
    reasons: JsonValue
    policies: JsonValue
    request: JsonObject
    inputDigest: string
  },
): Promise<void> {
  await tx
    .insertInto('policyDecisions')
    .values({
      ...row,
      obligations: json(row.obligations),
      reasons: json(row.reasons),
      policies: json(row.policies),
      request: json(row.request),
    })
    .execute()
}

export const findDecision = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .selectFrom('policyDecisions')
    .select(['effect', 'obligations', 'request'])
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
