import type { JsonObject, JsonValue } from '#lib/json.ts'
import { present } from '#server/kernel/content/committed.ts'
import { contentContext } from '#server/kernel/content/tables.ts'
import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'

// Content of executions is encrypted with the tenant's key; each value is bound to its row and column.

type ExecutionColumn = 'input' | 'output' | 'error'
type StepColumn = 'arguments' | 'output'

export const encryptExecutionValue = (
  cipher: TenantCipher,
  id: string,
  column: ExecutionColumn,
  value: JsonValue,
): Buffer => cipher.encryptJson(value, contentContext('executions', [id], column))

/** Null for a missing value and for one whose retention period has passed. */
export const decryptExecutionValue = (
  cipher: TenantCipher,
  id: string,
  column: ExecutionColumn,
  encrypted: Buffer | null,
): JsonValue => {
  const stored = present(encrypted)
  return stored === null ? null : cipher.decryptJson(stored, contentContext('executions', [id], column))
}

export const encryptStepValue = (
  cipher: TenantCipher,
  { executionId, stepId }: { executionId: string; stepId: string },
  column: StepColumn,
  value: JsonValue,
): Buffer => cipher.encryptJson(value, contentContext('execution_steps', [executionId, stepId], column))

export const decryptStepValue = (
  cipher: TenantCipher,
  { executionId, stepId }: { executionId: string; stepId: string },
  column: StepColumn,
  encrypted: Buffer | null,
): JsonValue => {
  const stored = present(encrypted)
  return stored === null
    ? null
    : cipher.decryptJson(stored, contentContext('execution_steps', [executionId, stepId], column))
}

type EventPlace = { executionId: string; type: string; stepId: string | null }
const eventContext = ({ executionId, type, stepId }: EventPlace) =>
  contentContext('execution_events', [executionId, type, stepId], 'data')

/** Null for an empty object, since most entries come without data. */
export const encryptEventData = (cipher: TenantCipher, place: EventPlace, data: JsonObject): Buffer | null =>
  Object.keys(data).length === 0 ? null : cipher.encryptJson(data, eventContext(place))

export const decryptEventData = (cipher: TenantCipher, place: EventPlace, encrypted: Buffer | null): JsonValue => {
  const stored = present(encrypted)
  return stored === null ? {} : cipher.decryptJson(stored, eventContext(place))
}
