import { fileURLToPath } from 'node:url'
import type { McpServers } from '#server/kernel/mcp-servers.ts'
import { demoTenants } from './tenants.ts'

/** The tool server of the first start's demo, as an operator's file would name it; MCP_SERVERS may replace it by the same name. */
export const demoMcpServers = (): McpServers => ({
  payments: {
    command: process.execPath,
    args: [fileURLToPath(new URL('./payments-process.ts', import.meta.url))],
    env: {},
    tenants: demoTenants.map((tenant) => tenant.externalId),
  },
})
