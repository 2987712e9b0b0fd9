import { AgentList, AgentStatus, type AgentSummary, ListAgentsInput } from '#lib/schemas/agents.ts'
import { RiskTier } from '#lib/schemas/manifest.ts'
import { boundPage } from '#server/kernel/bound/page.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { query } from '#server/kernel/operation.ts'
import { actorOf } from '#server/tenants/actors.ts'
import { findActiveReleases, findOwners, listAgents } from './store.ts'

type Row = Awaited<ReturnType<typeof listAgents>>[number]

/** The agents of the tenant, newest first. */
export const list = query({
  permission: 'agent:read',
  input: ListAgentsInput,
  output: AgentList,
  async run({ tx, tenant, input }) {
    const rows = await listAgents(tx, tenant.id, input.limit + 1, input.cursor)
    const agents = await agentSummaries(tx, tenant.id, rows)
    const parts = {
      agent_version: rows.map((row) => row.versionId),
      agent_owner: agents.flatMap(({ id, owners }) => owners.map((owner) => `${id}/${owner.id}`)),
      release: agents.flatMap(({ activeReleases }) => activeReleases.map(({ releaseId }) => releaseId)),
    }
    return await boundPage(tx, tenant.id, 'agent', { rows: agents, limit: input.limit, idOf: ({ id }) => id, parts })
  },
})

export async function agentSummaries(tx: Transaction, tenantId: string, rows: readonly Row[]): Promise<AgentSummary[]> {
  const ids = rows.map((row) => row.id)
  const [owners, releases] = await Promise.all([findOwners(tx, tenantId, ids), findActiveReleases(tx, tenantId, ids)])
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    displayName: row.displayName,
    status: AgentStatus.parse(row.status),
    latestVersion: row.version,
    riskTier: riskTierOf(row.riskTier),
    owners: owners.filter((owner) => owner.agentId === row.id).map(actorOf),
    activeReleases: releases
      .filter((release) => release.agentId === row.id)
      .map(({ environment, version, id }) => ({ environment, version, releaseId: id })),
    revision: row.revision,
    createdAt: row.createdAt.toISOString(),
  }))
}

/** Null for a tier that the schema of manifests does not have. */
const riskTierOf = (tier: string | null): string | null => RiskTier.safeParse(tier).data ?? null
