import { ApiError } from '#lib/errors.ts'
import { CheckManifestInput, CheckManifestOutput } from '#lib/schemas/agents.ts'
import { askingQuery } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { findMemberByName } from '#server/tenants/store.ts'
import { unofferedTools } from './known-tools.ts'
import { inOrder } from './manifest.ts'
import { readManifestApart } from './manifest-thread.ts'

/** The errors and warnings that agents.create would return for a manifest, without registering it. */
export const check = askingQuery({
  permission: 'agent:create',
  input: CheckManifestInput,
  output: CheckManifestOutput,
  async ask({ tenant, input: { yaml } }) {
    try {
      const { owner, tools, flaws, warnings } = await readManifestApart(tenant.id, yaml)
      if (flaws.length > 0) return { problems: flaws, warnings: [] }
      const known =
        owner === undefined ||
        (await runtime().database.inTenant(tenant.id, (tx) => findMemberByName(tx, tenant.id, owner.name))) !==
          undefined
      const unoffered = await unofferedTools(tenant, tools)
      return { problems: known ? [] : [owner.unknown], warnings: inOrder([...warnings, ...unoffered]) }
    } catch (error) {
      // A check that could not be made is not a problem of the manifest.
      if (!(error instanceof ApiError) || error.code === 'rate_limited') throw error
      const { issues = [{ path: 'yaml', message: error.message }] } = error
      return { problems: issues, warnings: [] }
    }
  },
})
