import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { closeToolServers } from '#server/agents/stdio-connections.ts'
import { registerDecisions } from '#server/jobs.ts'
import type { McpServers } from '#server/kernel/mcp-servers.ts'
import { closeEngine } from '#server/policies/engine/engine.ts'
import { addTenant, externalIdsWith, memberOf } from '#server/testing/add-tenants.ts'
import { type Credentials, callsTo, type TestApi } from '#server/testing/api.ts'
import { joinServer } from '#server/testing/join-server.ts'
import { serverMemory } from '../../cli/server-memory.mjs'
import { governedAgent } from '../governed-agent.ts'
import { startInstalled } from '../installed.ts'

const tenantCount = 10
/** The demo's tool server, as an operator would configure it. */
const payments = join(import.meta.dirname, '../../server/demo/payments-process.ts')

export type BoxTenant = {
  slug: string
  id: string
  externalId: string
  /** Starts the tenant's agent: input of executions.execute. */
  start: { agentId: string; environment: string; input: { orderId: string } }
  /** Access tokens: of a pipeline that reads and starts, of an exporter of spans, and of a person at the console. */
  pipeline: string
  telemetry: string
  person: string
  /** The pipeline's secret. */
  secret: string
}

/** The server as it is installed, with ten tenants, each with a released agent of one step. */
export type Box = { api: TestApi; owner: Client; pid: number; tenants: BoxTenant[]; close(): Promise<void> }

export async function openBox(): Promise<Box> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-box-'))
  const added = Array.from({ length: tenantCount - externalIdsWith([]).length }, (_, index) => `box-${index + 1}`)
  const mcpServers = {
    payments: {
      command: process.execPath,
      args: [payments],
      env: {},
      tenants: externalIdsWith(added),
    },
  }
  await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers }))
  const { environment, options } = serverMemory
  const api = await startInstalled({
    NODE_ENV: 'production',
    ...environment,
    NODE_OPTIONS: options.join(' '),
    MCP_SERVERS: join(folder, 'mcp.json'),
  })
  const owner = new Client({ connectionString: api.ownerUrl })
  const close = async () => {
    await owner.end()
    await api.close()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await owner.connect()
    const { credentials, starts } = await makeTenants(api, added, mcpServers)
    const calls = callsTo(api.baseUrl, credentials)
    const tenants = credentials.tenants.map(async ({ slug, id, externalId, clients }): Promise<BoxTenant> => {
      const start = starts.get(id)
      if (start === undefined) throw new Error(`${slug} does not have an agent.`)
      return {
        slug,
        id,
        externalId,
        start,
        pipeline: await calls.client('ci-pipeline', slug),
        telemetry: await calls.client('telemetry', slug),
        person: await calls.person('maria', slug),
        secret: clients.find((client) => client.clientId === 'ci-pipeline')?.clientSecret ?? '',
      }
    })
    return { api, owner, pid: api.process.pid ?? 0, tenants: await Promise.all(tenants), close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Adds tenants, and gives each tenant an agent. `starts`: what starts the agent of each tenant, by its id.
 */
async function makeTenants(
  api: TestApi,
  slugs: readonly string[],
  mcpServers: McpServers,
): Promise<{ credentials: Credentials; starts: Map<string, BoxTenant['start']> }> {
  const { close } = await joinServer(api.ownerUrl, join(dirname(api.gate), 'data'), mcpServers)
  registerDecisions()
  const tenants = [...api.credentials.tenants]
  const starts = new Map<string, BoxTenant['start']>()
  try {
    for (const slug of slugs) tenants.push(await addTenant(slug))
    for (const { id } of tenants) {
      const [pipeline, approver] = [await memberOf(id, 'ci-pipeline'), await memberOf(id, 'jonas')]
      starts.set(id, await governedAgent({ pipeline, approver }))
    }
    return { credentials: { tenants }, starts }
  } finally {
    await closeToolServers()
    await closeEngine()
    await close()
  }
}
