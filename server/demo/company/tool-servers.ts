import { fileURLToPath } from 'node:url'
import type { McpServers } from '#server/kernel/mcp-servers.ts'

const companyNames = ['demo-shop', 'demo-crm', 'demo-warehouse', 'demo-ci', 'demo-letters', 'demo-bank']

/** The tool servers of the tenants that `npm run demo` makes, which no other tenant may use. Each starts when it is called. */
export const companyMcpServers = (): McpServers =>
  Object.fromEntries(
    companyNames.map((name) => [
      name,
      {
        command: process.execPath,
        args: [fileURLToPath(new URL('./tools-process.ts', import.meta.url)), name],
        env: {},
        tenants: [],
        demo: true as const,
      },
    ]),
  )
