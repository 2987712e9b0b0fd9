import type { JsonValue } from '#lib/json.ts'
import { WaitStatus } from '#lib/schemas/inputs.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { waitExpiryQueue } from './expire-waits.ts'
import { matchWait } from './match.ts'
import { rejectResolutions } from './resolution-store.ts'
import { findOpenWaits, findStepWaits, insertWait, lockInputs, setTaken, settleUnmatched, setWait } from './store.ts'

// The part of inputs that executions may import. Call these only in a transaction that has changed the execution itself.

export type DeclaredInput = { name: string; ttlSeconds: number; onExpiry: 'fail' | 'continue' }
export type OpenedWait = { waitId: string; input: string; expiresAt: Date; receiptId: string | undefined }
export type StepWait = {
  id: string
  input: string
  onExpiry: 'fail' | 'continue'
  status: WaitStatus
  receiptId: string | null
  data: JsonValue
  openedAt: Date
}

/** Opens the waits of one step. A wait is matched immediately with an event that arrived earlier, identified by `receiptId`. */
export async function openWaits(
  tx: Transaction,
  tenantId: string,
  step: { executionId: string; stepId: string },
  inputs: readonly DeclaredInput[],
): Promise<OpenedWait[]> {
  await lockInputs(tx, tenantId, step.executionId)
  const opened: OpenedWait[] = []
  for (const { name: inputName, ttlSeconds, onExpiry } of inputs) {
    const row = { tenantId, id: newId(), ...step, inputName, onExpiry }
    const { expiresAt } = await insertWait(tx, { ...row, ttlSeconds })
    const receiptId = await matchWait(tx, tenantId, row)
    if (receiptId === undefined) await runtime().queue.enqueue(tx, waitExpiryQueue, { tenantId, id: row.id }, expiresAt)
    opened.push({ waitId: row.id, input: inputName, expiresAt, receiptId })
  }
  return opened
}

/**
 * The waits of one step with the events' data, in the order in which they were answered. Nothing more is matched until commit, so
 * later reads in this transaction return the same.
 */
export async function stepWaits(
  tx: Transaction,
  tenantId: string,
  executionId: string,
  stepId: string,
): Promise<StepWait[]> {
  await lockInputs(tx, tenantId, executionId)
  const rows = await findStepWaits(tx, tenantId, executionId, stepId)
  return rows.map((row) => ({
    id: row.id,
    input: row.inputName,
    onExpiry: row.onExpiry === 'continue' ? 'continue' : 'fail',
    status: WaitStatus.parse(row.status),
    receiptId: row.eventId,
    data: row.data as JsonValue,
    openedAt: row.openedAt,
  }))
}

/**
 * Marks matched waits of a step satisfied and their answers applied, in the transaction that journals the answers. Throws
 * when a wait does not have an answer, so that the transaction is rolled back.
 */
export async function takeAnswers(
  tx: Transaction,
  tenantId: string,
  step: { executionId: string; stepId: string },
  waitIds: readonly string[],
): Promise<void> {
  const { waits, resolutions } = await setTaken(tx, tenantId, step, waitIds)
  if (waits !== waitIds.length || resolutions !== waitIds.length)
    throw new Error(`A wait of the step ${step.stepId} of execution ${step.executionId} does not have an answer.`)
}

/** Closes the remaining waits of a step, because another input of its group was enough. */
export async function supersedeWaits(tx: Transaction, tenantId: string, executionId: string): Promise<void> {
  await closeOpenWaits(tx, tenantId, executionId, 'superseded')
}

/**
 * Cleans up after an execution has ended: open waits are canceled, matched events that were not applied are rejected, and events
 * for waits that never opened expire.
 */
export async function endInputs(tx: Transaction, tenantId: string, executionId: string): Promise<void> {
  await closeOpenWaits(tx, tenantId, executionId, 'canceled')
  await rejectResolutions(tx, tenantId, executionId)
  await settleUnmatched(tx, tenantId, { executionId }, 'unmatched_expired')
}

async function closeOpenWaits(
  tx: Transaction,
  tenantId: string,
  executionId: string,
  status: 'superseded' | 'canceled',
): Promise<void> {
  await lockInputs(tx, tenantId, executionId)
  for (const { id, inputName } of await findOpenWaits(tx, tenantId, executionId)) {
    await setWait(tx, tenantId, id, { status })
    await settleUnmatched(tx, tenantId, { executionId, inputName }, 'wait_terminal')
  }
}
