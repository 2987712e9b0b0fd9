import { CompiledQuery } from 'kysely'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import type { ExecutionStatus } from '#lib/schemas/executions.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { encryptEventData, encryptExecutionValue } from './content.ts'

export type ExecutionChange = {
  status?: ExecutionStatus
  output?: JsonValue
  error?: { code: string; message: string }
  started?: boolean
  ended?: boolean
  deadlineAt?: Date
  /** The reason of a request to stop. */
  stopReason?: string
  /** Confirms that no part of the execution continues. */
  stopConfirmed?: boolean
}

/** A journal entry. `data` must already be masked, because members read it. */
export type NewEvent = { type: string; stepId?: string; data?: JsonObject }

const changeText =
  'select change_execution($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) as changed'

/** The entries as arrays of types, steps and encrypted data. */
export const entryValues = (
  cipher: TenantCipher,
  executionId: string,
  events: readonly NewEvent[],
): [types: string[], steps: (string | null)[], data: (Buffer | null)[]] => [
  events.map(({ type }) => type),
  events.map(({ stepId }) => stepId ?? null),
  events.map(({ type, stepId = null, data = {} }) => encryptEventData(cipher, { executionId, type, stepId }, data)),
]

/** The status, the encrypted output and the encrypted error of a change. */
export const endValues = (cipher: TenantCipher, id: string, { status, output, error }: ExecutionChange): unknown[] => [
  status ?? null,
  output === undefined ? null : encryptExecutionValue(cipher, id, 'output', output),
  error === undefined ? null : encryptExecutionValue(cipher, id, 'error', error),
]

/**
 * The only way to change an execution: a compare-and-set on the revision, which fences off every worker with an older one, and
 * the journal entries, in one statement. False when the revision has changed; with `whileAllowed` also when the agent may no
 * longer run or the execution's time has run out.
 */
export async function changeExecution(
  tx: Transaction,
  { tenantId, id, revision }: { tenantId: string; id: string; revision: number },
  change: ExecutionChange,
  events: readonly NewEvent[],
  { whileAllowed = false }: { whileAllowed?: boolean } = {},
): Promise<boolean> {
  const cipher = await tenantCipher(tx, tenantId)
  const { rows } = await tx.executeQuery<{ changed: boolean }>(
    CompiledQuery.raw(changeText, [
      tenantId,
      id,
      revision,
      ...entryValues(cipher, id, events),
      ...endValues(cipher, id, change),
      change.started === true,
      change.ended === true,
      change.deadlineAt ?? null,
      change.stopReason ?? null,
      change.stopConfirmed === true,
      whileAllowed,
    ]),
  )
  return rows[0]?.changed === true
}
