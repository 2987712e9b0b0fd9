import { Id } from '#lib/schemas/common.ts'
import { findActiveReleases, findAgent, findAgentByName } from '#server/agents/store.ts'
import type { GatewayAddress } from '#server/kernel/auth/gateway-address.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { findReleased } from '#server/releases/released-store.ts'

/**
 * The tools at an address of the gateway, in any environment if it names none, for the person who is asked whether a client may call
 * them.
 */
export const toolsAt = (tenantId: string, { agent: name, server, environment: named }: GatewayAddress) =>
  runtime().database.inTenant(tenantId, async (tx) => {
    const agent = Id.safeParse(name).success
      ? await findAgent(tx, tenantId, name)
      : await findAgentByName(tx, tenantId, name)
    if (agent === undefined) return undefined
    const tools = new Map<string, string>()
    for (const { environment } of await findActiveReleases(tx, tenantId, [agent.id])) {
      if (named !== undefined && named !== environment) continue
      const { release } = await findReleased(tx, { tenantId, agentId: agent.id, environment })
      if (release === undefined) continue
      const { content } = release
      if (!content.spec.tools.some(({ mcp, local }) => mcp.server === server && local === undefined)) continue
      for (const tool of content.tools) if (tool.server === server) tools.set(tool.name, tool.description)
    }
    if (tools.size === 0) return undefined
    return { agent: agent.name, tools: [...tools].map(([tool, description]) => ({ name: tool, description })) }
  })
