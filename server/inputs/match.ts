import type { ReceiptStatus } from '#lib/schemas/inputs.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { insertResolution } from './resolution-store.ts'
import { findUnmatched, type findWaitFor, setEvent, settleUnmatched, setWait } from './store.ts'

/** Matches an event with its wait, which was read under `lockInputs`. Returns the event's new status. */
export async function matchEvent(
  tx: Transaction,
  tenantId: string,
  event: { id: string },
  wait: NonNullable<Awaited<ReturnType<typeof findWaitFor>>>,
): Promise<{ status: Exclude<ReceiptStatus, 'received'>; waitId: string }> {
  if (wait.status === 'open' && !wait.over) {
    await join(tx, tenantId, wait.id, event.id)
    return { status: 'accepted', waitId: wait.id }
  }
  await setEvent(tx, tenantId, event.id, 'wait_terminal')
  return { status: 'wait_terminal', waitId: wait.id }
}

/** Matches a newly opened wait with the first event that arrived before it; later events find the wait closed. */
export async function matchWait(
  tx: Transaction,
  tenantId: string,
  wait: { id: string; executionId: string; inputName: string },
): Promise<string | undefined> {
  const event = await findUnmatched(tx, tenantId, wait.executionId, wait.inputName)
  if (event === undefined) return undefined
  await join(tx, tenantId, wait.id, event.id)
  await settleUnmatched(tx, tenantId, wait, 'wait_terminal')
  return event.id
}

async function join(tx: Transaction, tenantId: string, waitId: string, eventId: string): Promise<void> {
  const revision = await setWait(tx, tenantId, waitId, { status: 'matched', eventId })
  // Both were read under the lock, so neither can have changed.
  if (revision === undefined || !(await setEvent(tx, tenantId, eventId, 'accepted')))
    throw new Error(`The wait ${waitId} changed under its lock.`)
  await insertResolution(tx, { tenantId, id: newId(), waitId, eventId })
}
