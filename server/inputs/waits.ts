import type { JsonValue } from '#lib/json.ts'
import { WaitStatus } from '#lib/schemas/inputs.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { waitExpiryQueue } from './expire-waits.ts'
import { matchWait } from './match.ts'
import { rejectResolutions } from './resolution-store.ts'
import { findOpenWaits, findStepWaits, insertWait, lockInputs, setTaken, settleUnmatched, setWait } from './store.ts'

// What executions may ask of waits. Each call belongs to a transaction in which the execution itself was changed.

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

/** Opens the waits of one step. Events that came before are matched at once: then `receiptId` says with which. */
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
 * The waits of one step; those that were answered first stand first, with the events' data. Until commit nothing more is
 * matched: what is not told here is told by no later read of this transaction.
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
 * when a wait had no answer to take, so that the transaction is rolled back.
 */
export async function takeAnswers(
  tx: Transaction,
  tenantId: string,
  step: { executionId: string; stepId: string },
  waitIds: readonly string[],
): Promise<void> {
  const { waits, resolutions } = await setTaken(tx, tenantId, step, waitIds)
  if (waits !== waitIds.length || resolutions !== waitIds.length)
    throw new Error(`A wait of the step ${step.stepId} of execution ${step.executionId} has no answer to take.`)
}

/** Closes what a step still waits for: another input of its group was enough. */
export async function supersedeWaits(tx: Transaction, tenantId: string, executionId: string): Promise<void> {
  await closeOpenWaits(tx, tenantId, executionId, 'superseded')
}

/**
 * An execution has ended: open waits are canceled, what was matched and not applied is rejected, and what came for a wait
 * that never opened expires.
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
