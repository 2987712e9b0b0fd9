import type { AgentSpec } from '#lib/schemas/manifest.ts'
import { isDemoTenant } from '#lib/verify/demo.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** A tool server of an agent: the operator's, by name, or the manifest's own, with `url`. */
export type ToolServer = { server: string; url?: string; secretRef?: string }

/** The tool server of an entry in the manifest's `tools`. */
export function toolServerIn({ mcp }: AgentSpec['tools'][number]): ToolServer {
  const url = mcp.url ?? (/^https?:\/\//.test(mcp.server) ? mcp.server : undefined)
  if (url === undefined) return { server: mcp.server }
  return { server: mcp.server, url, secretRef: mcp.auth?.secretRef }
}

/** The server named `name` in a released spec; the operator's when the spec does not define it. */
export const toolServerOf = (spec: AgentSpec, name: string): ToolServer => {
  const entry = spec.tools.find(({ mcp }) => mcp.server === name)
  return entry === undefined ? { server: name } : toolServerIn(entry)
}

/** True when the operator's configuration makes `server` available to the tenant. */
export function mayUseServer(tenant: { externalId: string }, server: string): boolean {
  const { mcpServers } = runtime()
  const found = Object.hasOwn(mcpServers, server) ? mcpServers[server] : undefined
  if (found === undefined) return false
  return found.tenants.includes(tenant.externalId) || (found.demo === true && isDemoTenant(tenant.externalId))
}
