import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/server'
import { ApiError } from '#lib/errors.ts'
import { isJsonObject, type JsonObject } from '#lib/json.ts'
import { idempotencyMeta } from '#server/agents/tool-servers.ts'
import { execute } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { answerTo, longestWait, type Wait, type Waiting } from './answer.ts'
import { whenCanceled } from './canceled.ts'
import { opensAddresses } from './capabilities.ts'
import { executionIn, stateOf } from './retry-state.ts'
import type { Serving } from './serving.ts'
import { shareReleased } from './shared.ts'
import { callKey, startCall } from './start-call.ts'
import { AnswerWithTask, TaskServer } from './task-server.ts'
import { createdTask, errorOf, serveTasks, taskFor, tasksExtension, understandsTasks } from './tasks.ts'
import { whileAllowed } from './while-allowed.ts'

/** The `_meta` member with the longest time in seconds for which a client lets its call be held. */
const waitMeta = 'countersign/waitSeconds'

/** Milliseconds after which a call that still runs becomes a task, for a client of 2026-07-28 that understands tasks. */
const untilTask = 5000

/** How the gateway names itself to clients. */
export const identityOf = ({ server }: Serving) => ({ name: `countersign ${server}`, version: '0.1.0' })

/** The tools of one address of the gateway, for one request of an earlier revision (`legacy`) or of 2026-07-28. */
export function toolServer(serving: Serving, era: 'legacy' | 'modern'): Server {
  const server = new TaskServer(identityOf(serving), {
    capabilities: {
      tools: {},
      ...(era === 'modern'
        ? { extensions: { [tasksExtension]: {} } }
        : { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }),
      ...(serving.served.resources.length === 0 ? {} : { resources: {} }),
      ...(serving.served.prompts.length === 0 ? {} : { prompts: {} }),
    },
    instructions:
      'Calls are governed by policy. A denied call is an error that states the reason. A call that needs an approval is held for a while, and then returns the status “pending”: repeat the same call later.',
  })
  server.setRequestHandler('tools/list', () => ({
    tools: serving.served.tools.map(({ name: tool, title, description, inputSchema, annotations, outputSchema }) => ({
      name: tool,
      title,
      description,
      inputSchema: { ...inputSchema, type: 'object' as const },
      ...(annotations === undefined ? {} : { annotations }),
      // Revisions before 2026-07-28 know schemas of objects only.
      ...(outputSchema?.type === 'object' ? { outputSchema: { ...outputSchema, type: 'object' as const } } : {}),
      ...(era === 'legacy' ? { execution: { taskSupport: 'optional' as const } } : {}),
    })),
  }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const args = params.arguments ?? {}
    if (!isJsonObject(args)) throw new ApiError('bad_request', 'The arguments must be a JSON object.')
    const atMost = longestHold(context)
    const { agentId, environment } = serving.served
    const call = {
      agentId,
      environment,
      server: serving.server,
      tool: params.name,
      arguments: args as JsonObject,
      idempotencyKey: params._meta?.[idempotencyMeta],
    }
    try {
      if (era === 'legacy' && params.task !== undefined) await answerWithTask(serving, call, params.task.ttl)
      return await answerCall(serving, call, context, atMost)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // A client that asked for a task expects nothing else as a result.
      if (era === 'legacy' && params.task !== undefined) throw errorOf(error)
      return {
        content: [{ type: 'text', text: `${error.code}: ${error.message}` }],
        structuredContent: { status: 'denied', code: error.code, message: error.message },
        isError: true,
      }
    }
  })
  serveTasks(server, serving)
  shareReleased(server, serving)
  return server
}

type Called = Parameters<typeof callKey>[0] & { idempotencyKey: unknown }

/** Starts the call, or takes up the one that the request repeats, as a task (2025-11-25). */
async function answerWithTask(serving: Serving, call: Called, ttl: number | undefined): Promise<never> {
  const { executionId } = await execute(startCall, serving.caller, { ...call, asTask: true }, { name: serving.name })
  throw new AnswerWithTask(createdTask(serving, await taskFor(serving, executionId, ttl), false))
}

/** Starts the call, or takes up the one that the request repeats, and answers it or asks for a person. */
async function answerCall(
  serving: Serving,
  call: Called,
  context: ServerContext,
  atMost: number,
): Promise<CallToolResult | InputRequiredResult> {
  const { name, caller, opens } = serving
  const { mcpReq } = context
  const { envelope } = mcpReq
  const key = call.idempotencyKey === undefined ? callKey(call) : undefined
  const binding = key ?? `${callKey(call)}:${String(call.idempotencyKey)}`
  const state = mcpReq.requestState<unknown>()
  const known = typeof state === 'string' ? await executionIn(caller, binding, state) : undefined
  if (state !== undefined && known === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The requestState is not of this caller and this call.')
  const { executionId, isRepeated } =
    known === undefined ? await execute(startCall, caller, call, { name }) : { executionId: known, isRepeated: true }
  // What the person did with the address: one who declines is not asked again by this request.
  const declined = Object.values(mcpReq.inputResponses ?? {}).some(
    (one) => isJsonObject(one) && one.action !== 'accept',
  )
  const capabilities = envelope && Reflect.get(envelope, CLIENT_CAPABILITIES_META_KEY)
  const takesTask = understandsTasks(capabilities)
  const asks = !declined && (envelope === undefined ? opens : opensAddresses(capabilities))
  const wait = { atMost, progress: progressOf(context) }
  const { result, isPending, asking } = await whileHeld(serving, mcpReq, (signal) =>
    answerTo(caller.tenant, executionId, key, {
      ...wait,
      signal,
      ...(takesTask ? { atMost: Math.min(wait.atMost, untilTask) } : declined ? { atMost: 0 } : {}),
      untilAsked: takesTask || (asks && !isRepeated),
    }),
  )
  if (takesTask && isPending)
    throw new AnswerWithTask(createdTask(serving, await taskFor(serving, executionId, undefined), true))
  // Clients compare an answer with the tool's own schema, unless it is an error.
  const isForeignForm =
    isPending &&
    serving.served.tools.some(({ name: tool, outputSchema }) => tool === call.tool && outputSchema !== undefined)
  if (!asks || asking === undefined) return isForeignForm ? { ...result, isError: true } : result
  return envelope === undefined
    ? refuseWithAddress(asking)
    : inputRequired({
        inputRequests: { approval: inputRequired.elicitUrl({ url: asking.url, message: question }) },
        requestState: await stateOf(caller, binding, executionId),
      })
}

const question =
  'A person has to approve this call. The page shows who can decide. Open it, and continue: the call runs once it is approved.'

/** The error −32042, with which revisions before 2026-07-28 ask a client to open an address and to repeat the call. */
function refuseWithAddress({ approvalId, url }: Waiting): never {
  throw new UrlElicitationRequiredError([{ mode: 'url', elicitationId: approvalId, url, message: question }], question)
}

/**
 * Runs `work` while the call is held. Throws instead of its answer if the caller has lost its access in the meantime. When the
 * client gives the call up, it gets no answer: it would not be seen, and so must not count as taken.
 */
async function whileHeld<T>(
  { caller, place, leave }: Serving,
  { id, signal: gone }: ServerContext['mcpReq'],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const canceled = new AbortController()
  const off = whenCanceled(place, id, () => {
    canceled.abort()
    leave()
  })
  const { signal, requireAccess, end } = whileAllowed(caller, AbortSignal.any([gone, canceled.signal]))
  try {
    const answer = await work(signal)
    requireAccess()
    return answer
  } finally {
    end()
    off()
  }
}

/** In milliseconds. Throws before anything starts: a client that does not want to wait would otherwise be held. */
function longestHold({ mcpReq }: ServerContext): number {
  const seconds = mcpReq._meta?.[waitMeta]
  if (seconds === undefined) return longestWait
  if (typeof seconds !== 'number' || seconds < 0)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `_meta["${waitMeta}"] must be a number of seconds, 0 or more.`,
    )
  return Math.min(longestWait, seconds * 1000)
}

function progressOf({ mcpReq }: ServerContext): Wait['progress'] {
  const token = mcpReq._meta?.progressToken
  let told = 0
  return (waited, message) => {
    // Each notification has to be further than the one before.
    if (token === undefined || waited <= told) return
    told = waited
    const params = { progressToken: token, progress: waited, total: longestWait / 1000, message }
    mcpReq
      .notify({ method: 'notifications/progress', params })
      .catch((error: unknown) => runtime().log.debug({ err: error }, 'mcp progress'))
  }
}
