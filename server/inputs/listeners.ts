import type { JsonValue } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

/** Wakes the execution whose waits changed, in the transaction that changed them. */
export type OnInput = (tx: Transaction, tenantId: string, executionId: string) => Promise<void>
/** Sends a resolution again that a person asked to retry. */
export type OnRetry = (tx: Transaction, tenantId: string, resolutionId: string) => Promise<void>

/**
 * How what senders say of events is masked for people, by execution: by what its manifest calls sensitive, in the event's own
 * data and in all that came before. An execution that is not there has no mask.
 */
export type MasksOf = (
  tx: Transaction,
  tenantId: string,
  executionIds: readonly string[],
) => Promise<Map<string, (data: JsonValue) => (value: JsonValue) => JsonValue>>

// Filled once by server/jobs.ts: inputs do not know executions, and ask-by-mail.ts alone knows mail.
let wake: OnInput | undefined
let masks: MasksOf | undefined
const retries = new Map<string, OnRetry>()

export function onInput(act: OnInput): void {
  wake = act
}

export function onMask(act: MasksOf): void {
  masks = act
}

/** Throws when nobody knows what is sensitive: then nothing may be shown. */
export const masksOf: MasksOf = (...asked) => {
  if (masks === undefined) throw new Error('No domain masks input.')
  return masks(...asked)
}

export function onRetry(channel: 'mail', act: OnRetry): void {
  retries.set(channel, act)
}

/** Throws when nobody listens: an accepted input that wakes nobody must not be committed. */
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
