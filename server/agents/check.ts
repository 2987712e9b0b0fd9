import { ApiError } from '#lib/errors.ts'
import { CheckManifestInput, CheckManifestOutput } from '#lib/schemas/agents.ts'
import { askingQuery } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { findMemberByName } from '#server/tenants/store.ts'
import { unofferedTools } from './known-tools.ts'
import { inOrder } from './manifest.ts'
import { readManifestApart } from './manifest-thread.ts'
import { findAgentByName, findOwners } from './store.ts'
import { unapprovable } from './unapprovable.ts'

/** The errors and warnings that agents.create would return for a manifest, without registering it. */
export const check = askingQuery({
  permission: 'agent:create',
  input: CheckManifestInput,
  output: CheckManifestOutput,
  async ask({ tenant, principal, input: { yaml } }) {
    try {
      const { name, owner, tools, stages, flaws, warnings } = await readManifestApart(tenant.id, yaml)
      if (flaws.length > 0) return { problems: flaws, warnings: [] }
      const { known, unapproved } = await runtime().database.inTenant(tenant.id, async (tx) => {
        const named = owner && (await findMemberByName(tx, tenant.id, owner.name))
        const agent = await findAgentByName(tx, tenant.id, name)
        const before = agent === undefined ? [] : (await findOwners(tx, tenant.id, [agent.id])).map(({ id }) => id)
        const owners = [...new Set([...before, named?.id ?? principal.memberId, principal.memberId])]
        return {
          known: owner === undefined || named !== undefined,
          unapproved: await unapprovable(tx, tenant, stages, owners),
        }
      })
      const unoffered = await unofferedTools(tenant, tools)
      return {
        problems: known ? [] : [owner?.unknown].filter((one) => one !== undefined),
        warnings: inOrder([...warnings, ...unoffered, ...unapproved]),
      }
    } catch (error) {
      // A check that could not be made is not a problem of the manifest.
      if (!(error instanceof ApiError) || error.code === 'rate_limited') throw error
      const { issues = [{ path: 'yaml', message: error.message }] } = error
      return { problems: issues, warnings: [] }
    }
  },
})
