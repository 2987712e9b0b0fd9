import { ApiError } from '#lib/errors.ts'
import type { Principal } from '#server/kernel/auth/principal.ts'

/**
 * Throws 403 for a connection token that does not name the agent; `agent` is undefined for an unknown one, so that the token
 * does not learn which other agents exist.
 */
export function requireReach({ connection }: Principal, agent: string | undefined): void {
  if (connection?.agents === undefined) return
  if (agent === undefined || !connection.agents.includes(agent))
    throw new ApiError('forbidden', 'This connection token is not for this agent.')
}
