import { notFound } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import { AgentDetail } from '#lib/schemas/agents.ts'
import { ById } from '#lib/schemas/common.ts'
import { AgentSpec } from '#lib/schemas/manifest.ts'
import { requireBound, requireBoundBelow } from '#server/kernel/bound/check.ts'
import { query } from '#server/kernel/operation.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { agentSummaries } from './list.ts'
import { findAgentWithManifest, findVersions } from './store.ts'

/** One agent with its versions and the manifest of the newest. */
export const get = query({
  permission: 'agent:read',
  input: ById,
  output: AgentDetail,
  async run({ tx, tenant, input }) {
    const [row] = await Promise.all([
      findAgentWithManifest(tx, tenant.id, input.id),
      requireBound(tx, tenant.id, 'agent', [input.id]),
      requireBoundBelow(tx, tenant.id, 'agent_owner', input.id),
    ])
    if (row === undefined) throw notFound()
    const [summary] = await agentSummaries(tx, tenant.id, [row])
    if (summary === undefined) throw notFound()
    const versions = await findVersions(tx, tenant.id, row.id)
    await requireBound(
      tx,
      tenant.id,
      'agent_version',
      versions.map(({ id }) => id),
    )
    const actor = await actorsById(
      tx,
      tenant.id,
      versions.map((version) => version.createdBy),
    )
    const manifest = row.manifest as JsonObject
    const spec = AgentSpec.partial().safeParse(manifest.spec ?? {})
    return {
      ...summary,
      description: spec.success ? (spec.data.description ?? null) : null,
      versions: versions.map((version) => ({
        id: version.id,
        version: version.version,
        manifestDigest: version.manifestDigest,
        createdAt: version.createdAt.toISOString(),
        createdBy: actor(version.createdBy),
      })),
      manifestYaml: row.manifestYaml,
      manifest,
    }
  },
})
