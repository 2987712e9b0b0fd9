import { sql } from 'kysely'
import type { LabelSelector } from '#lib/schemas/policies.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { endProposalIn } from '#server/kernel/db/end-proposal.ts'
import { json } from '#server/kernel/db/json.ts'
import { pageLimit } from '#server/kernel/db/statements/steady-plan.ts'
import type { SchemaTool } from '#server/policies/language/typed-schema.ts'

/** The agent of a binding, with its newest version. */
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

/** Agents that have a version with these labels. */
export const listLabelledAgents = (tx: Transaction, tenantId: string, selector: LabelSelector) =>
  tx
    .selectFrom('agents as agent')
    .select(['agent.id', 'agent.name'])
    .where('agent.tenantId', '=', tenantId)
    .where('agent.status', '<>', 'retired')
    .where((e) =>
      e.exists(
        e
          .selectFrom('agentVersions as version')
          .select('version.id')
          .where('version.tenantId', '=', tenantId)
          .whereRef('version.agentId', '=', 'agent.id')
          .where(sql<boolean>`version.manifest -> 'metadata' -> 'labels' @> ${json(selector)}`),
      ),
    )
    .orderBy('agent.name')
    .execute()

export type Target = { agentId?: string | undefined; selector?: LabelSelector | undefined }
/** Tools pinned by active releases in an environment: those of one agent, or of agents whose released version has the labels. */
export async function listReleasedTools(
  tx: Transaction,
  tenantId: string,
  { agentId, selector }: Target,
  environment: string,
  limit: number,
): Promise<{ agentName: string; tools: SchemaTool[] }[]> {
  const rows = await tx
    .selectFrom('releases as release')
    .innerJoin('agents as agent', (join) =>
      join.onRef('agent.tenantId', '=', 'release.tenantId').onRef('agent.id', '=', 'release.agentId'),
    )
    .innerJoin('agentVersions as version', (join) =>
      join.onRef('version.tenantId', '=', 'release.tenantId').onRef('version.id', '=', 'release.agentVersionId'),
    )
    .select(['agent.name as agentName', sql<SchemaTool[]>`release.content -> 'tools'`.as('tools')])
    .where('release.tenantId', '=', tenantId)
    .where('release.environment', '=', environment)
    .where('release.status', '=', 'active')
    .$if(agentId !== undefined, (q) => q.where('release.agentId', '=', agentId ?? ''))
    .$if(selector !== undefined, (q) =>
      q.where(sql<boolean>`version.manifest -> 'metadata' -> 'labels' @> ${json(selector ?? {})}`),
    )
    .orderBy('agent.name')
    .limit(limit)
    .execute()
  return rows
}

type Place = Target & { environment: string; policyId: string; mode: 'enforce' | 'shadow' }

export const findActiveBinding = (tx: Transaction, tenantId: string, place: Place) =>
  tx
    .selectFrom('policyBindings')
    .select(['id', 'policyVersion', 'mode'])
    .where('tenantId', '=', tenantId)
    .where((e) =>
      place.selector === undefined
        ? e('agentId', '=', place.agentId ?? null)
        : sql<boolean>`selector = ${json(place.selector)}`,
    )
    .where('environment', '=', place.environment)
    .where('policyId', '=', place.policyId)
    .where('mode', '=', place.mode)
    .where('status', '=', 'active')
    .executeTakeFirst()

export async function insertBinding(
  tx: Transaction,
  {
    agentId,
    selector,
    ...row
  }: Place & {
    tenantId: string
    id: string
    policyVersion: number
    approvalId: string
    proposedBy: string
  },
): Promise<void> {
  await tx
    .insertInto('policyBindings')
    .values({
      ...row,
      agentId: agentId ?? null,
      selector: selector === undefined ? null : json(selector),
      status: 'proposed',
    })
    .execute()
}

export type BindingFilter = {
  agentId?: string | undefined
  policyId?: string | undefined
  environment?: string | undefined
  status?: string | undefined
}

const bindingRows = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('policyBindings as binding')
    .leftJoin('agents as agent', (join) =>
      join.onRef('agent.tenantId', '=', 'binding.tenantId').onRef('agent.id', '=', 'binding.agentId'),
    )
    .innerJoin('policies as policy', (join) =>
      join.onRef('policy.tenantId', '=', 'binding.tenantId').onRef('policy.id', '=', 'binding.policyId'),
    )
    .selectAll('binding')
    .select(['agent.name as agentName', 'policy.name as policyName'])
    .where('binding.tenantId', '=', tenantId)

export type BindingRow = Awaited<ReturnType<typeof listBindings>>[number]

/** Newest first. */
export const listBindings = (
  tx: Transaction,
  tenantId: string,
  { agentId, policyId, environment, status }: BindingFilter,
  limit: number,
  cursor: string | undefined,
) =>
  bindingRows(tx, tenantId)
    .$if(agentId !== undefined, (q) => q.where('binding.agentId', '=', agentId ?? ''))
    .$if(policyId !== undefined, (q) => q.where('binding.policyId', '=', policyId ?? ''))
    .$if(environment !== undefined, (q) => q.where('binding.environment', '=', environment ?? ''))
    .$if(status !== undefined, (q) => q.where('binding.status', '=', status ?? ''))
    .$if(cursor !== undefined, (q) => q.where('binding.id', '<', cursor ?? ''))
    .orderBy('binding.id', 'desc')
    .limit(pageLimit(limit, agentId, policyId, environment, status))
    .execute()

export const findBinding = (tx: Transaction, tenantId: string, id: string) =>
  bindingRows(tx, tenantId).where('binding.id', '=', id).executeTakeFirst()

/** When two bindings of the same policy and target are approved concurrently, the second waits for the first to commit. */
export async function lockPlaceOf(tx: Transaction, tenantId: string, bindingId: string): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(
      concat_ws(' ', 'policy binding', tenant_id, coalesce(agent_id::text, selector::text), environment, policy_id), 0))
    from policy_bindings where tenant_id = ${tenantId} and id = ${bindingId}`.execute(tx)
}

/**
 * Supersedes the active bindings of the same policy and target, provided that the new binding is still proposed. An enforced
 * binding supersedes enforced and shadow bindings; a shadow binding supersedes only a shadow binding.
 */
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
    .where(
      sql<boolean>`coalesce(old.agent_id::text, old.selector::text) = coalesce(next.agent_id::text, next.selector::text)`,
    )
    .whereRef('old.environment', '=', 'next.environment')
    .whereRef('old.policyId', '=', 'next.policyId')
    .where((e) => e.or([e('next.mode', '=', 'enforce'), e('old.mode', '=', 'shadow')]))
    .returning(['old.id', 'old.policyVersion'])
    .execute()

/** proposed → `status`. Undefined when the binding is no longer proposed. */
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

export const setBindingEnded = endProposalIn('policyBindings')
