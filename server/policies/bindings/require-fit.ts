import { ApiError } from '#lib/errors.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { requireSound } from '#server/policies/engine/check-policy.ts'
import { tenantTools } from '#server/policies/language/tenant-schema.ts'
import { typedSchema } from '#server/policies/language/typed-schema.ts'
import { listReleasedTools, type Target } from './binding-store.ts'

/** Releases checked per proposal: many agents can have the same labels. */
const mostReleases = 20

/**
 * Checks a source against the current tools, and against those that the agents' active releases pin in the environment, which
 * are the ones called there. Throws `invalid_policy` (400) with the line, the column and the agent. Calls tool servers, so no
 * transaction may be open.
 */
export async function requireFit(tenant: Tenant, source: string, target: Target, environment: string): Promise<void> {
  const offered = await tenantTools(tenant)
  const releases = await runtime().database.inTenant(tenant.id, (tx) =>
    listReleasedTools(tx, tenant.id, target, environment, mostReleases),
  )
  const checked = new Set<string>()
  for (const { agentName, tools } of [{ agentName: undefined, tools: [] }, ...releases]) {
    // Of tools with the same name, the last one wins.
    const schema = typedSchema([...offered, ...tools])
    if (checked.has(schema)) continue
    checked.add(schema)
    try {
      await requireSound(tenant.id, source, schema)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'invalid_policy' || agentName === undefined) throw error
      const message = `Does not fit the tools that the active release of ${agentName} pins in ${environment}: ${error.message}`
      throw new ApiError(error.code, message, { issues: error.issues })
    }
  }
}
