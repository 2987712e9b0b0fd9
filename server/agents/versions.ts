import { notFound } from '#lib/errors.ts'
import { AgentVersionList, ListAgentVersionsInput } from '#lib/schemas/agents.ts'
import { boundPage } from '#server/kernel/bound/page.ts'
import { query } from '#server/kernel/operation.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { findAgent, listVersions as listRows } from './store.ts'

/** The versions of an agent, newest first. */
export const versions = query({
  permission: 'agent:read',
  input: ListAgentVersionsInput,
  output: AgentVersionList,
  async run({ tx, tenant, input }) {
    const [agent, rows] = await Promise.all([
      findAgent(tx, tenant.id, input.id),
      listRows(tx, tenant.id, input.id, input.limit + 1, input.cursor),
    ])
    if (agent === undefined) throw notFound()
    const actor = await actorsById(
      tx,
      tenant.id,
      rows.map((row) => row.createdBy),
    )
    return await boundPage(tx, tenant.id, 'agent_version', {
      rows: rows.map((row) => ({
        id: row.id,
        version: row.version,
        manifestDigest: row.manifestDigest,
        createdAt: row.createdAt.toISOString(),
        createdBy: actor(row.createdBy),
      })),
      limit: input.limit,
      idOf: ({ id }) => id,
    })
  },
})
