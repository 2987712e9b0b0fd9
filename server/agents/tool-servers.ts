import { createHash } from 'node:crypto'
import { type Client, ProtocolError } from '@modelcontextprotocol/client'
import { ApiError } from '#lib/errors.ts'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { withRemoteServer } from './remote-server.ts'
import { endStdioServer, withStdioServer } from './stdio-connections.ts'
import { toolDifferences } from './tool-drift.ts'
import { failedCall, refusedCall, type ToolResult, toolResult } from './tool-result.ts'
import type { ToolServer } from './tool-server.ts'

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

/** Where a tool server reads the key under which it must do the work at most once. */
export const idempotencyMeta = 'countersign/idempotencyKey'

/** The tools of one of the agent's servers. NOT_FOUND for an operator's server that is not open to the tenant. */
export const listTools = (tenant: Tenant, server: ToolServer): Promise<Tool[]> =>
  withServer(tenant, server, (client) => offeredTools(client, server.server))

async function offeredTools(client: Client, server: string): Promise<Tool[]> {
  const { tools } = await client.listTools(undefined, { cacheMode: 'refresh' })
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
 * Calls a tool once, after its server has described it just as it was released: else the call is refused. A server that
 * can't be reached has not been called: that is a failed call, like any answer that says so. Throws when no answer came:
 * then nobody knows whether the tool ran.
 */
export async function callTool(
  tenant: Tenant,
  call: {
    server: ToolServer
    released: Tool
    arguments: JsonObject
    idempotencyKey: string
    timeoutMs: number
    /** Gives the call up: the server is told (MCP cancellation), and its answer is not waited for. */
    signal?: AbortSignal
  },
): Promise<ToolResult> {
  const { server, released } = call
  try {
    return await withServer(tenant, server, async (client) => {
      const offered = await offeredTools(client, server.server).catch((cause: unknown) => {
        throw new ApiError('unavailable', `The tool server ${server.server} does not list its tools.`, { cause })
      })
      const differences = toolDifferences(
        released,
        offered.find((tool) => tool.name === released.name),
      )
      if (differences.length > 0)
        return refusedCall(
          'tool_drift',
          `${server.server}.${released.name} is not as it was released: ${differences.map(({ path }) => path || 'it is gone').join(', ')}. Release the agent again to accept it.`,
          { differences },
        )
      const answer = await client.callTool(
        { name: released.name, arguments: call.arguments, _meta: { [idempotencyMeta]: call.idempotencyKey } },
        { timeout: call.timeoutMs, signal: call.signal },
      )
      return toolResult(answer)
    })
  } catch (error) {
    if (call.signal?.aborted === true) throw error
    // ApiError: thrown before anything was sent. ProtocolError: the server's answer.
    if (error instanceof ApiError) return failedCall(error.message)
    if (error instanceof ProtocolError)
      return toolResult({ content: [{ type: 'text', text: error.message }], isError: true })
    throw error
  }
}

/** After a call was given up: the operator's server is ended unless others use it, so that the call goes on nowhere. */
export async function abandonCall(tenant: Tenant, server: ToolServer): Promise<void> {
  if (server.url === undefined) await endStdioServer(tenant, server.server)
}

const withServer = <T>(tenant: Tenant, server: ToolServer, work: (client: Client) => Promise<T>): Promise<T> =>
  server.url === undefined
    ? withStdioServer(tenant, server.server, work)
    : withRemoteServer(tenant, { ...server, url: server.url }, work)
