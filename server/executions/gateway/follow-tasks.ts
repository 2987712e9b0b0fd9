import {
  CLIENT_CAPABILITIES_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SUBSCRIPTION_ID_META_KEY,
} from '@modelcontextprotocol/server'
import { isJsonObject, type JsonValue } from '#lib/json.ts'
import { Id } from '#lib/schemas/common.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { changesOf } from './changes.ts'
import type { Serving } from './serving.ts'
import { detailedTask } from './task-result.ts'
import { findTask, type TaskRow } from './task-store.ts'
import { isOver } from './task-view.ts'
import { expiryOf, ownerOf } from './tasks.ts'
import { identityOf } from './tool-server.ts'

/** Tasks that one stream follows. */
const mostTasks = 100
/** Milliseconds between two readings, which also keep the stream open. */
const readEvery = 15_000

/** A request of 2026-07-28 to be notified of the states of tasks: its id, and the tasks. */
export type Following = { id: JsonValue; taskIds: string[]; capabilities: unknown }

/** Undefined for any other message. */
export function followingIn(message: unknown): Following | undefined {
  if (!isJsonObject(message) || message.method !== 'subscriptions/listen') return undefined
  const { params, id = null } = message
  if (!isJsonObject(params) || !isJsonObject(params.notifications)) return undefined
  const { taskIds } = params.notifications
  if (!Array.isArray(taskIds) || !isJsonObject(params._meta)) return undefined
  const { [PROTOCOL_VERSION_META_KEY]: revision, [CLIENT_CAPABILITIES_META_KEY]: capabilities } = params._meta
  // Earlier revisions don't have this method.
  if (revision === undefined) return undefined
  return { id, taskIds: taskIds.filter((one) => typeof one === 'string').slice(0, mostTasks), capabilities }
}

/**
 * Streams the states of the caller's tasks: each one as it is, and again when it changes, until all have ended. Names of other
 * tasks are left out, as if they did not exist.
 */
export function followTasks(serving: Serving, { id, taskIds }: Following, aborted: AbortSignal): Response {
  const { caller } = serving
  const { tenant } = caller
  const owner = ownerOf(serving)
  const _meta = { [SUBSCRIPTION_ID_META_KEY]: id }
  const read = (): Promise<TaskRow[]> =>
    runtime().database.inTenant(tenant.id, async (tx) => {
      const rows = await Promise.all(
        taskIds.filter((one) => Id.safeParse(one).success).map((one) => findTask(tx, owner, one)),
      )
      return rows.filter((row) => row !== undefined)
    })

  async function* frames(signal: AbortSignal): AsyncGenerator<string> {
    const known = await read()
    const notification = (method: string, params: object) =>
      frame({ jsonrpc: '2.0', method, params: { ...params, _meta } })
    yield notification('notifications/subscriptions/acknowledged', {
      notifications: { taskIds: known.map((row) => row.id) },
    })
    const told = new Map<string, string>()
    const executions = known.map((row) => row.executionId)
    for await (const _ of changesOf(tenant.id, executions, signal, () => readEvery)) {
      const rows = await read()
      for (const row of rows) {
        const state = [row.status, row.approvalId, row.updatedAt.getTime()].join()
        if (told.get(row.id) === state) continue
        told.set(row.id, state)
        yield notification('notifications/tasks', await detailedTask(tenant, row, signal))
      }
      if (rows.every(isOver)) break
      yield ': open\n\n'
    }
    const result = { resultType: 'complete', _meta: { ..._meta, [SERVER_INFO_META_KEY]: identityOf(serving) } }
    yield frame({ jsonrpc: '2.0', id, result })
  }

  const left = new AbortController()
  const signal = AbortSignal.any([left.signal, aborted, runtime().stopping, expiryOf(caller.principal.expiresAt)])
  const states = frames(signal)
  const encoder = new TextEncoder()
  const body = new ReadableStream({
    async pull(controller) {
      const next = await states.next()
      if (next.done === true) controller.close()
      else controller.enqueue(encoder.encode(next.value))
    },
    async cancel() {
      left.abort()
      await states.return(undefined)
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' } })
}

const frame = (message: object): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`
