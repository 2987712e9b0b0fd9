import type { JsonValue } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

/** Wakes the execution whose waits changed, in the transaction that changed them. */
export type OnInput = (tx: Transaction, tenantId: string, executionId: string) => Promise<void>
/** Sends a resolution again that a person retried. */
export type OnRetry = (tx: Transaction, tenantId: string, resolutionId: string) => Promise<void>

/**
 * The masks for senders' attributes of events, by execution: values that its manifest declares sensitive, in the event's own data
 * and in all earlier payloads. An unknown execution is left out.
 */
export type MasksOf = (
  tx: Transaction,
  tenantId: string,
  executionIds: readonly string[],
) => Promise<Map<string, (data: JsonValue) => (value: JsonValue) => JsonValue>>

// Filled once by server/jobs.ts, because inputs does not import executions, and only ask-by-mail.ts imports mail.
let wake: OnInput | undefined
let masks: MasksOf | undefined
const retries = new Map<string, OnRetry>()

export function onInput(act: OnInput): void {
  wake = act
}

export function onMask(act: MasksOf): void {
  masks = act
}

/** Throws without a registered handler, because unmasked attributes must not be shown. */
export const masksOf: MasksOf = (...asked) => {
  if (masks === undefined) throw new Error('No domain masks input.')
  return masks(...asked)
}

export function onRetry(channel: 'mail', act: OnRetry): void {
  retries.set(channel, act)
}

/** Throws without a registered handler, because an accepted input that wakes no execution must not be committed. */
export async function tellExecution(tx: Transaction, tenantId: string, executionId: string): Promise<void> {
  if (wake === undefined) throw new Error('No domain handles input.')
  await wake(tx, tenantId, executionId)
}

export async function sendAgain(
  tx: Transaction,
  tenantId: string,
  resolution: { id: string; channel: string; executionId: string },
): Promise<void> {
  if (resolution.channel === 'event') return await tellExecution(tx, tenantId, resolution.executionId)
  const act = retries.get(resolution.channel)
  if (act === undefined) throw new Error(`No domain delivers by ${resolution.channel}.`)
  await act(tx, tenantId, resolution.id)
}
