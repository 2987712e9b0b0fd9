import { join, resolve } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { ApiError, notFound } from '#lib/errors.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { connectClient, type SpokenBefore } from './mcp-client.ts'
import { mayUseServer } from './tool-server.ts'

type Connection = { client: Promise<Client>; idle: NodeJS.Timeout | undefined; calls: number }

const idleMs = 60_000
// One child process per tenant and server, so that tenants never share a process. Owner: this module.
const connections = new Map<string, Connection>()

// The detected protocol revisions. Detecting one starts the server an additional time, so it is done once an hour. Owner: this module.
const spokenBefore = new Map<string, { spoken: SpokenBefore; at: number }>()
const askAgainMs = 3_600_000

function spokenBy(key: string): SpokenBefore | undefined {
  const known = spokenBefore.get(key)
  return known === undefined || performance.now() - known.at > askAgainMs ? undefined : known.spoken
}

/** Runs `work` with the operator's server of this name. Throws `not_found` unless it is available to the tenant. */
export async function withStdioServer<T>(
  tenant: { externalId: string },
  server: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  if (!mayUseServer(tenant, server)) throw notFound()
  const key = `${tenant.externalId}\n${server}`
  const connection = connections.get(key) ?? open(tenant, server, key)
  clearTimeout(connection.idle)
  connection.calls += 1
  try {
    return await work(await connection.client)
  } finally {
    connection.calls -= 1
    if (connection.calls === 0) connection.idle = setTimeout(() => close(key, connection), idleMs).unref()
  }
}

function open(tenant: { externalId: string }, server: string, key: string): Connection {
  const settings = runtime().mcpServers[server]
  if (settings === undefined) throw notFound()
  const transport = new StdioClientTransport({
    command: settings.command,
    args: settings.args,
    env: {
      ...settings.env,
      COUNTERSIGN_TENANT: tenant.externalId,
      COUNTERSIGN_TOOL_DATA: join(resolve(runtime().config.dataDir), 'tools', server, tenant.externalId),
    },
    stderr: 'ignore',
  })
  // Another connection may have replaced this one under the key; that one stays.
  const forget = () => {
    if (connections.get(key) === connection) connections.delete(key)
  }
  const ready = connectClient(transport, { before: spokenBy(key), onClose: forget }).then(
    ({ client, spoken }) => {
      spokenBefore.set(key, { spoken, at: performance.now() })
      return client
    },
    (cause: unknown) => {
      // The detected revision may be outdated.
      spokenBefore.delete(key)
      forget()
      throw new ApiError('unavailable', `The tool server ${server} did not start. Try again in a minute.`, { cause })
    },
  )
  const connection: Connection = { client: ready, idle: undefined, calls: 0 }
  connections.set(key, connection)
  return connection
}

async function close(key: string, connection: Connection): Promise<void> {
  if (connections.get(key) === connection) connections.delete(key)
  clearTimeout(connection.idle)
  const client = await connection.client.catch(() => undefined)
  await client?.close()
}

/** Ends the tenant's process of this server unless other calls are in progress. */
export async function endStdioServer(tenant: { externalId: string }, server: string): Promise<void> {
  const key = `${tenant.externalId}\n${server}`
  const connection = connections.get(key)
  if (connection?.calls === 0) await close(key, connection)
}

/** Ends all tool servers that this process started. */
export async function closeToolServers(): Promise<void> {
  await Promise.all([...connections].map(([key, connection]) => close(key, connection)))
}
