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
import { eventStream } from './event-stream.ts'
import type { Serving } from './serving.ts'
import { detailedTask } from './task-result.ts'
import { findTask, type TaskRow } from './task-store.ts'
import { isOver } from './task-view.ts'
import { ownerOf } from './tasks.ts'
import { identityOf } from './tool-server.ts'
import { whileAllowed } from './while-allowed.ts'

/** Tasks that one stream follows. */
const mostTasks = 100
/** Milliseconds between two readings, in case a notification was lost. */
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
  const left = new AbortController()
  const { signal, end } = whileAllowed(caller, AbortSignal.any([left.signal, aborted]))
  const read = (): Promise<TaskRow[]> =>
    runtime().database.inTenant(tenant.id, async (tx) => {
      const rows = await Promise.all(
        taskIds.filter((one) => Id.safeParse(one).success).map((one) => findTask(tx, owner, one)),
      )
      return rows.filter((row) => row !== undefined)
    })

  async function* frames(): AsyncGenerator<object> {
    const known = await read()
    yield told('notifications/subscriptions/acknowledged', { notifications: { taskIds: known.map((row) => row.id) } })
    const states = new Map<string, string>()
    const executions = known.map((row) => row.executionId)
    for await (const _ of changesOf(tenant.id, executions, signal, () => readEvery)) {
      if (signal.aborted) break
      const rows = await read()
      for (const row of rows) {
        const state = [row.status, row.approvalId, row.updatedAt.getTime()].join()
        if (states.get(row.id) === state) continue
        states.set(row.id, state)
        yield told('notifications/tasks', await detailedTask(tenant, row, signal))
      }
      if (rows.every(isOver)) break
    }
    yield { id, result: { resultType: 'complete', _meta: { ..._meta, [SERVER_INFO_META_KEY]: identityOf(serving) } } }
  }
  const told = (method: string, params: object) => ({ method, params: { ...params, _meta } })

  return eventStream(frames(), () => {
    left.abort()
    end()
  })
}
