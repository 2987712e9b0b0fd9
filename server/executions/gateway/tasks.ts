import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  RELATED_TASK_META_KEY,
  type Result,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ApiError, isRetryable } from '#lib/errors.ts'
import { isJsonObject, type JsonObject } from '#lib/json.ts'
import { Id } from '#lib/schemas/common.ts'
import { execute } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { cancelCall } from './cancel-call.ts'
import { changesOf } from './changes.ts'
import type { Serving } from './serving.ts'
import { detailedTask, takeResult } from './task-result.ts'
import { findTask, insertTask, listTasks, type TaskOwner, type TaskRow } from './task-store.ts'
import { extensionTaskOf, isOver, taskOf } from './task-view.ts'
import { whileAllowed } from './while-allowed.ts'

/** The extension of 2026-07-28, which has its own methods and names. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** Seconds for which a task is kept: at least, at most, and unless the client says otherwise. */
const [shortest, longest, usual] = [3600, 7 * 86_400, 86_400]
/** Tasks on a page of `tasks/list`. */
const pageSize = 50
/** Milliseconds between two readings of a task that a client waits for, in case a notification was lost. */
const readEvery = 15_000

const OneTask = z.looseObject({ taskId: z.string() })

/** Whether the capabilities of a client say that it understands tasks as an answer (2026-07-28). */
export const understandsTasks = (capabilities: unknown): boolean =>
  isJsonObject(capabilities) && isJsonObject(capabilities.extensions) && tasksExtension in capabilities.extensions

export const ownerOf = ({ caller: { tenant, principal }, served, server }: Serving): TaskOwner => ({
  tenantId: tenant.id,
  memberId: principal.memberId,
  clientId: principal.clientId ?? null,
  agentId: served.agentId,
  environment: served.environment,
  server,
})

/** The caller's task of an execution. `ttl`: the milliseconds that the client wants it to be kept. */
export async function taskFor(
  serving: Serving,
  executionId: string,
  ttl: unknown,
): Promise<{ row: TaskRow; isNew: boolean }> {
  const owner = ownerOf(serving)
  const seconds = typeof ttl === 'number' ? Math.min(longest, Math.max(shortest, ttl / 1000)) : usual
  return await runtime().database.inTenant(owner.tenantId, async (tx) => {
    const { id, isNew } = await insertTask(tx, owner, executionId, seconds)
    const row = await findTask(tx, owner, id)
    if (row === undefined) throw new Error(`The task ${id} was not found after it was made.`)
    return { row, isNew }
  })
}

/** Serves the methods with which a client follows its tasks, of the revision that it speaks. */
export function serveTasks(server: Server, serving: Serving): void {
  const { caller } = serving
  const { tenant } = caller
  const owner = ownerOf(serving)
  const find = async (id: string): Promise<TaskRow> => {
    const row = Id.safeParse(id).success
      ? await runtime().database.inTenant(tenant.id, (tx) => findTask(tx, owner, id))
      : undefined
    if (row === undefined) throw invalid('Task not found, or it has expired.')
    return row
  }

  server.setRequestHandler('tasks/get', { params: OneTask }, async ({ taskId }, context): Promise<Result> => {
    const isExtension = requireExtension(context)
    const row = await find(taskId)
    return isExtension ? await detailedTask(tenant, row, context.mcpReq.signal) : taskOf(tenant, row)
  })
  server.setRequestHandler('tasks/cancel', { params: OneTask }, async ({ taskId }, context): Promise<Result> => {
    const isExtension = requireExtension(context)
    const row = await find(taskId)
    if (isOver(row)) {
      if (isExtension) return {}
      throw invalid(`The task can't be canceled: it has ended as ${taskOf(tenant, row).status}.`)
    }
    const { agentId, environment } = serving.served
    const input = { taskId, agentId, environment, server: serving.server }
    await execute(cancelCall, caller, input, { name: serving.name }).catch((error: unknown) => {
      throw error instanceof ApiError ? errorOf(error) : error
    })
    return isExtension ? {} : taskOf(tenant, await find(taskId))
  })
  // A task of this server never asks its client for input, so that there is nothing to update.
  server.setRequestHandler('tasks/update', { params: OneTask }, async ({ taskId }, context): Promise<Result> => {
    if (!requireExtension(context)) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found')
    await find(taskId)
    return {}
  })
  server.setRequestHandler('tasks/result', { params: OneTask }, async ({ taskId }, { mcpReq }): Promise<Result> => {
    const { executionId } = await find(taskId)
    const { signal, end } = whileAllowed(caller, mcpReq.signal)
    let shown: string | undefined
    try {
      for await (const _ of changesOf(tenant.id, [executionId], signal, () => readEvery)) {
        if (signal.aborted) break
        const row = await find(taskId)
        if (isOver(row)) {
          const result = await takeResult(tenant, row, mcpReq.signal)
          return { ...result, _meta: { ...result._meta, [RELATED_TASK_META_KEY]: { taskId } } }
        }
        const task = taskOf(tenant, row)
        if (task.statusMessage !== shown) await mcpReq.notify({ method: 'notifications/tasks/status', params: task })
        shown = task.statusMessage
      }
    } finally {
      end()
    }
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'The task has not ended yet. Ask for its result again.')
  })
  const Page = z.looseObject({ cursor: z.string().optional() })
  server.setRequestHandler('tasks/list', { params: Page }, async ({ cursor }): Promise<Result> => {
    if (cursor !== undefined && !Id.safeParse(cursor).success) throw invalid('Unknown cursor.')
    const rows = await runtime().database.inTenant(tenant.id, (tx) => listTasks(tx, owner, pageSize + 1, cursor))
    const page = rows.slice(0, pageSize)
    return {
      tasks: page.map((row) => taskOf(tenant, row)),
      ...(rows.length > pageSize ? { nextCursor: page.at(-1)?.id } : {}),
    }
  })
}

/** A refusal of a request about tasks. The request is not to blame for what the server can't do at the moment. */
export const errorOf = ({ code, message }: ApiError) =>
  new ProtocolError(
    isRetryable(code) ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams,
    `${code}: ${message}`,
  )
const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)

/** Whether the request is one of the extension. Throws −32021 for a client of 2026-07-28 that does not declare it. */
function requireExtension({ mcpReq: { envelope } }: ServerContext): boolean {
  if (envelope === undefined) return false
  if (!understandsTasks(Reflect.get(envelope, CLIENT_CAPABILITIES_META_KEY))) throw missingExtension()
  return true
}

export const missingExtension = () =>
  new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } })

/** The answer to a call that became a task, in the words of the client's revision. */
export function createdTask(serving: Serving, { row, isNew }: { row: TaskRow; isNew: boolean }, isExtension: boolean) {
  const { tenant } = serving.caller
  if (isExtension) return { ...extensionTaskOf(tenant, row), resultType: 'task' }
  const task = taskOf(tenant, row)
  return {
    // A task begins as "working", however soon its call has ended.
    task: isNew ? { ...task, status: 'working' as const } : task,
    _meta: { 'io.modelcontextprotocol/model-immediate-response': immediate } satisfies JsonObject,
  }
}

const immediate =
  'The call is governed by policy, and may wait until a person approves it. It runs once. Its result follows as the result of this task.'
