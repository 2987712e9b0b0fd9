import { ApiError } from '#lib/errors.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { requireSound } from '#server/policies/engine/check-policy.ts'
import { tenantTools } from '#server/policies/language/tenant-schema.ts'
import { typedSchema } from '#server/policies/language/typed-schema.ts'
import { listReleasedTools, type Target } from './binding-store.ts'

/** Releases that one proposal looks at: agents with the same labels can be many. */
const mostReleases = 20

/**
 * Checks a text against the tools as they are now, and against those that the active releases of the agents pin in that
 * environment: they are what calls there are made with. Throws `invalid_policy` (400) with line and column, and for which
 * agent. No transaction may be open meanwhile: servers are asked.
 */
export async function requireFit(tenant: Tenant, source: string, target: Target, environment: string): Promise<void> {
  const offered = await tenantTools(tenant)
  const releases = await runtime().database.inTenant(tenant.id, (tx) =>
    listReleasedTools(tx, tenant.id, target, environment, mostReleases),
  )
  const checked = new Set<string>()
  for (const { agentName, tools } of [{ agentName: undefined, tools: [] }, ...releases]) {
    // Of two with one name, the last one counts.
    const schema = typedSchema([...offered, ...tools])
    if (checked.has(schema)) continue
    checked.add(schema)
    try {
      await requireSound(source, schema)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'invalid_policy' || agentName === undefined) throw error
      const message = `With the tools that the active release of ${agentName} pins in ${environment}: ${error.message}`
      throw new ApiError(error.code, message, { issues: error.issues })
    }
  }
}
