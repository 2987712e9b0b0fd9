import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { Client, ProtocolError } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { ApiError, notFound } from '#lib/errors.ts'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { failedCall, type ToolResult, toolResult } from './tool-result.ts'

/** A tool as its server describes it, reduced to what a release pins. */
export type Tool = {
  server: string
  name: string
  title: string
  description: string
  inputSchema: JsonObject
  sideEffect: 'none' | 'read' | 'write' | 'irreversible'
  /** The server promises that a second call with the same idempotency key has no second effect. */
  idempotent: boolean
  /** `sha256:` of JCS(name, description, input schema): a server that changes them is refused. */
  digest: string
}

type Connection = { client: Promise<Client>; idle: NodeJS.Timeout | undefined; calls: number }

/** Where a tool server reads the key under which it must do the work at most once. */
export const idempotencyMeta = 'countersign/idempotencyKey'

const idleMs = 60_000
// One child process for each tenant and server, so that no server sees two tenants. Owner: this module.
const connections = new Map<string, Connection>()

/** The tools of a server that the operator opened to the tenant. NOT_FOUND for any other name. */
export async function listTools(tenant: { externalId: string }, server: string): Promise<Tool[]> {
  const { tools } = await withClient(tenant, server, (client) => client.listTools())
  return tools.map((tool) => {
    const hints = tool.annotations ?? {}
    const inputSchema = tool.inputSchema as JsonObject
    const description = tool.description ?? ''
    const pinned = { name: tool.name, description, inputSchema }
    return {
      server,
      name: tool.name,
      title: tool.title ?? hints.title ?? tool.name,
      description,
      inputSchema,
      // Hints are the server's word. They are pinned with the release that a person approves; without them: the worst.
      sideEffect: hints.readOnlyHint === true ? 'read' : hints.destructiveHint === false ? 'write' : 'irreversible',
      idempotent: hints.idempotentHint === true || hints.readOnlyHint === true,
      digest: `sha256:${createHash('sha256').update(canonicalJson(pinned)).digest('hex')}`,
    }
  })
}

/**
 * Calls a tool once. A server that can't be reached has not been called: that is a failed call, like any answer that says
 * so. Throws when no answer came: then nobody knows whether the tool ran.
 */
export async function callTool(
  tenant: { externalId: string },
  call: {
    server: string
    name: string
    arguments: JsonObject
    idempotencyKey: string
    timeoutMs: number
  },
): Promise<ToolResult> {
  try {
    const answer = await withClient(tenant, call.server, (client) =>
      client.callTool(
        { name: call.name, arguments: call.arguments, _meta: { [idempotencyMeta]: call.idempotencyKey } },
        { timeout: call.timeoutMs },
      ),
    )
    return toolResult(answer)
  } catch (error) {
    // ApiError: thrown before anything was sent. ProtocolError: the server's answer.
    if (error instanceof ApiError) return failedCall(error.message)
    if (error instanceof ProtocolError)
      return toolResult({ content: [{ type: 'text', text: error.message }], isError: true })
    throw error
  }
}

/** True when the operator's file opens `server` to the tenant. */
export function mayUseServer(tenant: { externalId: string }, server: string): boolean {
  const { mcpServers } = runtime()
  return Object.hasOwn(mcpServers, server) && mcpServers[server]?.tenants.includes(tenant.externalId) === true
}

async function withClient<T>(
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
  const client = new Client({ name: 'countersign', version: '0.1.0' })
  // By now the key may be another connection's: that one stays.
  const forget = () => {
    if (connections.get(key) === connection) connections.delete(key)
  }
  const ready = client.connect(transport).then(
    () => client,
    (cause: unknown) => {
      forget()
      throw new ApiError('unavailable', `The tool server ${server} does not start.`, { cause })
    },
  )
  client.onclose = () => forget()
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

/** Ends every tool server that this process started. */
export async function closeToolServers(): Promise<void> {
  await Promise.all([...connections].map(([key, connection]) => close(key, connection)))
}
