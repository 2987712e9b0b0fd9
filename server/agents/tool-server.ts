import type { AgentSpec } from '#lib/schemas/manifest.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** One tool server of an agent: the operator's, by name, or with `url` the manifest's own. */
export type ToolServer = { server: string; url?: string; secretRef?: string }

/** A tool server as an entry of the manifest's `tools` names it. */
export function toolServerIn({ mcp }: AgentSpec['tools'][number]): ToolServer {
  const url = mcp.url ?? (/^https?:\/\//.test(mcp.server) ? mcp.server : undefined)
  if (url === undefined) return { server: mcp.server }
  return { server: mcp.server, url, secretRef: mcp.auth?.secretRef }
}

/** The server that a released spec means by `name`; without an entry of its own, the operator's. */
export const toolServerOf = (spec: AgentSpec, name: string): ToolServer => {
  const entry = spec.tools.find(({ mcp }) => mcp.server === name)
  return entry === undefined ? { server: name } : toolServerIn(entry)
}

/** True when the operator's file opens `server` to the tenant. */
export function mayUseServer(tenant: { externalId: string }, server: string): boolean {
  const { mcpServers } = runtime()
  return Object.hasOwn(mcpServers, server) && mcpServers[server]?.tenants.includes(tenant.externalId) === true
}
