import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/** The revision of the tenant's active bindings; undefined before the first binding. Must be read before the bindings. */
export async function findBindingRevision(tx: Transaction, tenantId: string): Promise<string | undefined> {
  const { rows } = await sql<{ revision: string | null }>`select ${readBindingRevision(tenantId)} as revision`.execute(
    tx,
  )
  return rows[0]?.revision ?? undefined
}

/** The same as part of a larger statement. */
export const readBindingRevision = (tenantId: string) =>
  sql<string | null>`(select revision from policy_binding_revisions where tenant_id = ${tenantId})`

export type BoundPolicy = {
  mode: 'enforce' | 'shadow'
  policyId: string
  name: string
  version: number
  digest: string
}

/**
 * The published versions bound to an agent in an environment, directly or by the labels of the running manifest version; each
 * once, in a fixed order.
 */
export async function listBoundPolicies(
  tx: Transaction,
  tenantId: string,
  agent: { id: string; version: string },
  environment: string,
): Promise<BoundPolicy[]> {
  const { rows } = await sql<BoundPolicy>`
    select distinct binding.mode, policy.id as policy_id, policy.name, version.version, version.digest
    from policy_bindings as binding
    join policies as policy on policy.tenant_id = binding.tenant_id and policy.id = binding.policy_id
    join policy_versions as version on version.tenant_id = binding.tenant_id
      and version.policy_id = binding.policy_id and version.version = binding.policy_version
    where binding.tenant_id = ${tenantId} and binding.environment = ${environment} and binding.status = 'active'
      and (binding.agent_id = ${agent.id} or (binding.agent_id is null and binding.selector <@ (
        select coalesce(manifest -> 'metadata' -> 'labels', '{}') from agent_versions
        where tenant_id = ${tenantId} and agent_id = ${agent.id} and version = ${agent.version})))
    order by policy.name, version.version, binding.mode`.execute(tx)
  return rows
}

/** The sources of these versions. */
export const findVersionTexts = (
  tx: Transaction,
  tenantId: string,
  policies: readonly { policyId: string; version: number }[],
) =>
  tx
    .selectFrom('policyVersions')
    .select(['policyId', 'version', 'digest', 'source'])
    .where('tenantId', '=', tenantId)
    .where((e) =>
      e(
        e.refTuple('policyId', 'version'),
        'in',
        policies.map(({ policyId, version }) => e.tuple(policyId, version)),
      ),
    )
    .execute()
