import { createHash } from 'node:crypto'
import { type Client, ProtocolError } from '@modelcontextprotocol/client'
import { ApiError } from '#lib/errors.ts'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'
import { systemActor } from '#server/kernel/audit/append.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { NotReached } from '#server/kernel/net/outbound.ts'
import { ofApprovedRelease, type SecretSender } from '#server/secrets/use-value.ts'
import { refusalIn, Unanswered, whyUnanswered } from './calls/unanswered.ts'
import { isCutOff } from './mcp-client.ts'
import { withRemoteServer } from './remote-server.ts'
import { endStdioServer, withStdioServer } from './stdio-connections.ts'
import { toolDifferences } from './tool-drift.ts'
import { failedCall, refusedCall, type ToolResult, toolResult } from './tool-result.ts'
import type { ToolServer } from './tool-server.ts'

/** A tool's description by its server, reduced to the members that a release pins. */
export type Tool = {
  server: string
  name: string
  title: string
  description: string
  inputSchema: JsonObject
  /** As the server says them. They are hints: the release pins them, and the digest does not cover them. */
  annotations?: JsonObject
  outputSchema?: JsonObject
  sideEffect: 'none' | 'read' | 'write' | 'irreversible'
  /** The server declares that a repeated call with the same idempotency key takes effect only once. */
  idempotent: boolean
  /** `sha256:` of JCS(name, description, input schema). A tool whose digest has changed is not called. */
  digest: string
}

/** The `_meta` member with the key under which a tool server must do the work at most once. */
export const idempotencyMeta = 'countersign/idempotencyKey'

/** For all pages of a list of tools. Each page has the library's minute. */
const listingMs = 90_000

/** Without an approval, a secret is sent only to an address that it is bound to. */
const noUnbound: SecretSender = { actor: systemActor, unbound: 'refused' }

/** The tools of one of the agent's servers. Throws `not_found` for an operator's server that is not available to the tenant. */
export const listTools = (tenant: Tenant, server: ToolServer, sender = noUnbound): Promise<Tool[]> =>
  withServer(tenant, server, sender, (client) => offeredTools(client, server.server))

async function offeredTools(client: Client, server: string, until: AbortSignal[] = []): Promise<Tool[]> {
  const signal = AbortSignal.any([AbortSignal.timeout(listingMs), ...until])
  const { tools } = await client.listTools(undefined, { cacheMode: 'refresh', signal })
  return tools.map((tool) => {
    const { inputSchema, outputSchema, ...rest } = tool
    return describedTool(server, {
      ...rest,
      inputSchema: inputSchema as JsonObject,
      ...(outputSchema === undefined ? {} : { outputSchema: outputSchema as JsonObject }),
    })
  })
}

/** A tool as a release pins it, from its description by a server, or by the manifest for a local tool. */
export function describedTool(
  server: string,
  { name, title, description = '', inputSchema, outputSchema, annotations }: Description,
): Tool {
  const hints = annotations ?? {}
  const pinned = { name, description, inputSchema }
  return {
    server,
    name,
    title: title ?? hints.title ?? name,
    description,
    inputSchema,
    ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    // Hints are claims of the server, pinned with the approved release. Without hints the worst case is assumed.
    sideEffect: hints.readOnlyHint === true ? 'read' : hints.destructiveHint === false ? 'write' : 'irreversible',
    idempotent: hints.idempotentHint === true || hints.readOnlyHint === true,
    digest: `sha256:${createHash('sha256').update(canonicalJson(pinned)).digest('hex')}`,
  }
}

type Description = {
  name: string
  title?: string
  description?: string
  inputSchema: JsonObject
  outputSchema?: JsonObject
  annotations?: { title?: string; readOnlyHint?: boolean; destructiveHint?: boolean; idempotentHint?: boolean }
}

/**
 * Calls a tool once, provided that its server still describes it as released; otherwise the call is refused. An unreachable
 * server and an error answer are failed calls. Throws without an answer, because it is then unknown whether the tool ran.
 */
export async function callTool(
  tenant: Tenant,
  call: {
    server: ToolServer
    released: Tool
    arguments: JsonObject
    idempotencyKey: string
    timeoutMs: number
    /** Aborts the call: the server is notified (MCP cancellation) and its answer is not awaited. */
    signal?: AbortSignal
  },
): Promise<ToolResult> {
  const { server, released } = call
  try {
    return await withServer(tenant, server, ofApprovedRelease(systemActor), async (client) => {
      const until = [AbortSignal.timeout(call.timeoutMs), ...(call.signal === undefined ? [] : [call.signal])]
      const offered = await offeredTools(client, server.server, until).catch((cause: unknown) => {
        if (refusalIn(cause) !== undefined) throw cause
        throw new ApiError('unavailable', `The tool server ${server.server} did not list its tools.`, { cause })
      })
      const differences = toolDifferences(
        released,
        offered.find((tool) => tool.name === released.name),
      )
      if (differences.length > 0)
        return refusedCall(
          'tool_drift',
          `${server.server}.${released.name} differs from its released version: ${differences.map(({ path }) => path || 'the tool was removed').join(', ')}. Release the agent again to accept the change.`,
          { differences },
        )
      const answer = await client
        .callTool(
          { name: released.name, arguments: call.arguments, _meta: { [idempotencyMeta]: call.idempotencyKey } },
          { timeout: call.timeoutMs, signal: call.signal },
        )
        .catch((cause: unknown) => {
          if (isAnswer(cause)) throw cause
          throw new Unanswered(whyUnanswered(cause, call.timeoutMs), { cause })
        })
      return toolResult(answer)
    })
  } catch (error) {
    if (call.signal?.aborted === true) throw error
    // An ApiError was thrown before anything was sent, or is the server's refusal; a ProtocolError is the server's answer.
    if (error instanceof ApiError || error instanceof NotReached) return failedCall(error.message)
    if (error instanceof ProtocolError)
      return toolResult({ content: [{ type: 'text', text: error.message }], isError: true })
    throw error
  }
}

/** The outcome of the call is known: it was answered, refused, or not sent. */
const isAnswer = (error: unknown): boolean =>
  (error instanceof ProtocolError && !isCutOff(error)) || error instanceof NotReached || refusalIn(error) !== undefined

/** Ends the operator's server after a call was aborted, so that the call does not continue, unless other calls use the server. */
export async function abandonCall(tenant: Tenant, server: ToolServer): Promise<void> {
  if (server.url === undefined) await endStdioServer(tenant, server.server)
}

/** Runs `work` with a connection to one of the agent's servers. Throws ApiError when the server was not reached. */
export const withServer = <T>(
  tenant: Tenant,
  server: ToolServer,
  sender: SecretSender,
  work: (client: Client) => Promise<T>,
): Promise<T> =>
  server.url === undefined
    ? withStdioServer(tenant, server.server, work)
    : withRemoteServer(tenant, { ...server, url: server.url }, sender, work)
