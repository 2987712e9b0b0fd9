import { ApiError, notFound } from '#lib/errors.ts'
import { Id } from '#lib/schemas/common.ts'
import { GatewayInput, GatewayTools } from '#lib/schemas/gateway.ts'
import { findActiveReleases, findAgent, findAgentByName } from '#server/agents/store.ts'
import { query } from '#server/kernel/operation.ts'
import { findReleased } from '#server/releases/released-store.ts'
import { requireReach } from './require-reach.ts'

/** The tools of one server that an external agent may see: those of its release, as released. */
export const releasedTools = query({
  permission: 'execution:start',
  connectionTokens: 'gateway',
  input: GatewayInput,
  output: GatewayTools,
  async run({ tx, tenant, principal, input }) {
    const agent = Id.safeParse(input.agent).success
      ? await findAgent(tx, tenant.id, input.agent)
      : await findAgentByName(tx, tenant.id, input.agent)
    requireReach(principal, agent?.name)
    if (agent === undefined) throw notFound('No agent has this name or id.')
    const active = await findActiveReleases(tx, tenant.id, [agent.id])
    const [only] = active
    const environment = input.environment ?? (active.length === 1 ? only?.environment : undefined)
    if (environment === undefined)
      throw new ApiError(
        active.length === 0 ? 'release_required' : 'bad_request',
        active.length === 0
          ? `No approved release of ${agent.name} is active.`
          : `${agent.name} is released in several environments. Choose one with ?environment=….`,
      )
    const { release } = await findReleased(tx, { tenantId: tenant.id, agentId: agent.id, environment })
    if (release === undefined)
      throw new ApiError('release_required', `No approved release of ${agent.name} is active in ${environment}.`)
    const { content } = release
    // An agent runs its local tools itself: there is nothing that the gateway could call.
    const entries = content.spec.tools.filter(({ mcp, local }) => mcp.server === input.server && local === undefined)
    if (entries.length === 0)
      throw notFound(`The active release of ${agent.name} in ${environment} does not name this tool server.`)
    const tools = content.tools.filter((tool) => tool.server === input.server)
    const resources = entries.flatMap(({ allowResources = [] }) => allowResources)
    const prompts = entries.flatMap(({ allowPrompts = [] }) => allowPrompts)
    return { agentId: agent.id, environment, tools, resources, prompts }
  },
})
