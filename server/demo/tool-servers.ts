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

const companyNames = ['demo-shop', 'demo-crm', 'demo-warehouse', 'demo-ci', 'demo-letters', 'demo-bank']

/** The tool servers of the tenants that `npm run demo` makes, which no other tenant may use. Each starts when it is called. */
export const companyMcpServers = (): McpServers =>
  Object.fromEntries(
    companyNames.map((name) => [
      name,
      {
        command: process.execPath,
        args: [fileURLToPath(new URL('./company/tools-process.ts', import.meta.url)), name],
        env: {},
        tenants: [],
        demo: true as const,
      },
    ]),
  )
