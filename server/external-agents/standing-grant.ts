import type { JsonObject } from '#lib/json.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { PolicyDecision } from '#server/policies/decisions/decide.ts'
import { maskedArguments } from '#server/policies/decisions/mask-arguments.ts'
import { decideByGrant, type Standing } from '#server/standing-grants/use.ts'
import { decideExternal, type ExternalCall } from './call.ts'

/** Whether a standing grant takes the place of the approval that the decision requires. */
export async function decideByStandingGrant(
  context: { tx: Transaction; tenant: Tenant; principal: Principal },
  external: ExternalCall,
  first: PolicyDecision,
): Promise<(Standing & { leaving: JsonObject }) | undefined> {
  const { call, agent, release, tool } = external
  if (tool === undefined) return undefined
  const held = {
    agent: { id: agent.id, name: agent.name },
    releaseId: release.id,
    environment: call.environment,
    resource: call.resource,
    arguments: call.arguments,
    executionId: null,
  }
  const standing = await decideByGrant(
    context.tx,
    context.tenant,
    held,
    first,
    async (tokens) => (await decideExternal(context, external, tokens)).decision,
  )
  return standing && { ...standing, leaving: maskedArguments(call.arguments, standing.decision.masks) }
}
