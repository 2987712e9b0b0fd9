import type { CallToolResult, Task } from '@modelcontextprotocol/server'
import { isJsonObject, type JsonObject } from '#lib/json.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { approvalUrl, changesWanted, waitsFor } from './answer.ts'
import type { TaskRow } from './task-store.ts'

/** Milliseconds after which a client should ask again: while people decide, and while the call runs. */
const pollWaiting = 5000
const pollRunning = 1000

/** The task as clients of 2025-11-25 read it. */
export function taskOf(tenant: Tenant, row: TaskRow): Task {
  const status = statusOf(row)
  return {
    taskId: row.id,
    status,
    statusMessage: messageOf(tenant, row, status),
    createdAt: row.createdAt.toISOString(),
    lastUpdatedAt: row.updatedAt.toISOString(),
    ttl: row.expiresAt.getTime() - row.createdAt.getTime(),
    pollInterval: row.status === 'waiting_approval' ? pollWaiting : pollRunning,
  }
}

/**
 * The same for the tasks extension of 2026-07-28. There, a call that failed is a completed task whose result is an error:
 * `failed` is for errors of the protocol.
 */
export function extensionTaskOf(tenant: Tenant, row: TaskRow): JsonObject & { status: Task['status'] } {
  const { ttl, pollInterval, statusMessage, ...rest } = taskOf(tenant, row)
  return {
    ...rest,
    ...(statusMessage === undefined ? {} : { statusMessage }),
    status: rest.status === 'failed' ? 'completed' : rest.status,
    ttlMs: ttl,
    ...(pollInterval === undefined ? {} : { pollIntervalMs: pollInterval }),
  }
}

/** Whether the task has ended, so that it does not change any more. */
export const isOver = ({ endedAt, canceledAt }: TaskRow): boolean => endedAt !== null || canceledAt !== null

function statusOf({ status, canceledAt, endedAt }: TaskRow): Task['status'] {
  if (canceledAt !== null) return 'cancelled'
  if (endedAt === null) return 'working'
  if (status === 'succeeded') return 'completed'
  return status === 'canceled' ? 'cancelled' : 'failed'
}

function messageOf(tenant: Tenant, { approvalId, ...row }: TaskRow, status: Task['status']): string {
  const error = isJsonObject(row.error) ? String(row.error.message ?? '') : ''
  switch (status) {
    case 'working':
      return row.status === 'waiting_approval' && approvalId !== null
        ? `${waitsFor(row) === 'changes' ? changesWanted : 'Waiting for approval'}: ${approvalUrl(tenant, approvalId)}`
        : 'The call is running.'
    case 'completed':
      return 'The call has returned its result.'
    case 'cancelled':
      return row.canceledAt !== null && row.status !== 'canceled'
        ? 'Canceled by the client. The call may have taken effect before it could be stopped.'
        : error
    default:
      return error
  }
}

/** What `tasks/result` returns of a task that was canceled while its call could still be running. */
export const canceledResult = (taskId: string): CallToolResult => ({
  content: [{ type: 'text', text: 'canceled: Canceled by the client.' }],
  structuredContent: { status: 'canceled', code: 'canceled', message: 'Canceled by the client.', taskId },
  isError: true,
})
