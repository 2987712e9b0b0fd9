import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

type ReachRow = {
  agentId: string
  agentName: string
  displayName: string
  environment: string
  mode: 'enforce' | 'shadow'
  by: 'agent' | 'labels'
}

/**
 * The agents that a version's active bindings reach: bound themselves, or by labels of the version that is released in the
 * environment, which are the labels that count at the time of a call.
 */
export async function listReached(
  tx: Transaction,
  tenantId: string,
  { policyId, version, limit }: { policyId: string; version: number; limit: number },
): Promise<ReachRow[]> {
  const { rows } = await sql<ReachRow>`
    select agent.id as agent_id, agent.name as agent_name, agent.display_name, binding.environment, binding.mode,
      min(case when binding.agent_id is null then 'labels' else 'agent' end) as by
    from policy_bindings binding
    join agents agent on agent.tenant_id = binding.tenant_id and agent.status <> 'retired' and (
      agent.id = binding.agent_id or (binding.agent_id is null and exists (
        select from releases release
        join agent_versions version on version.tenant_id = release.tenant_id and version.id = release.agent_version_id
        where release.tenant_id = binding.tenant_id and release.agent_id = agent.id and release.status = 'active'
          and release.environment = binding.environment
          and binding.selector <@ coalesce(version.manifest -> 'metadata' -> 'labels', '{}'))))
    where binding.tenant_id = ${tenantId} and binding.policy_id = ${policyId} and binding.policy_version = ${version}
      and binding.status = 'active'
    group by agent.id, agent.name, agent.display_name, binding.environment, binding.mode
    order by agent.name, binding.environment, binding.mode limit ${limit}`.execute(tx)
  return rows
}
