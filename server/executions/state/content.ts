import type { JsonObject, JsonValue } from '#lib/json.ts'
import { contentContext } from '#server/kernel/content/tables.ts'
import type { TenantSealer } from '#server/kernel/keys/tenant-keys.ts'

// Content of executions lies encrypted with the tenant's key; what each value is sealed for is its place.

type ExecutionColumn = 'input' | 'output' | 'error'
type StepColumn = 'arguments' | 'output'

export const sealOfExecution = (sealer: TenantSealer, id: string, column: ExecutionColumn, value: JsonValue): Buffer =>
  sealer.sealJson(value, contentContext('executions', [id], column))

/** Null: there is none, or the tenant's retention has passed it. */
export const openOfExecution = (
  sealer: TenantSealer,
  id: string,
  column: ExecutionColumn,
  sealed: Buffer | null,
): JsonValue => (sealed === null ? null : sealer.openJson(sealed, contentContext('executions', [id], column)))

export const sealOfStep = (
  sealer: TenantSealer,
  { executionId, stepId }: { executionId: string; stepId: string },
  column: StepColumn,
  value: JsonValue,
): Buffer => sealer.sealJson(value, contentContext('execution_steps', [executionId, stepId], column))

export const openOfStep = (
  sealer: TenantSealer,
  { executionId, stepId }: { executionId: string; stepId: string },
  column: StepColumn,
  sealed: Buffer | null,
): JsonValue =>
  sealed === null ? null : sealer.openJson(sealed, contentContext('execution_steps', [executionId, stepId], column))

type EventPlace = { executionId: string; type: string; stepId: string | null }
const eventContext = ({ executionId, type, stepId }: EventPlace) =>
  contentContext('execution_events', [executionId, type, stepId], 'data')

/** Null for an empty object: most entries say nothing more. */
export const sealOfEvent = (sealer: TenantSealer, place: EventPlace, data: JsonObject): Buffer | null =>
  Object.keys(data).length === 0 ? null : sealer.sealJson(data, eventContext(place))

export const openOfEvent = (sealer: TenantSealer, place: EventPlace, sealed: Buffer | null): JsonValue =>
  sealed === null ? {} : sealer.openJson(sealed, eventContext(place))
