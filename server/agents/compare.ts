import { notFound } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import { CompareAgentsInput, CompareAgentsOutput } from '#lib/schemas/agents.ts'
import { query } from '#server/kernel/operation.ts'
import { manifestChanges } from './manifest-changes.ts'
import { findVersion } from './store.ts'

/** The changes between two versions of an agent, by area of governance. */
export const compare = query({
  permission: 'agent:read',
  input: CompareAgentsInput,
  output: CompareAgentsOutput,
  async run({ tx, tenant, input }) {
    const from = await findVersion(tx, tenant.id, input.id, input.from)
    const to = await findVersion(tx, tenant.id, input.id, input.to)
    if (from === undefined) throw notFound(`No agent with this id has a version ${input.from}.`)
    if (to === undefined) throw notFound(`No agent with this id has a version ${input.to}.`)
    const side = ({ version, manifestDigest, createdAt }: typeof from) => ({
      version,
      manifestDigest,
      createdAt: createdAt.toISOString(),
    })
    return {
      from: side(from),
      to: side(to),
      changes: manifestChanges(from.manifest as JsonObject, to.manifest as JsonObject),
    }
  },
})
