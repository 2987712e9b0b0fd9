import { leafText } from '#components/json/leaf-text.ts'
import { toCsv } from '#lib/csv.ts'
import type { JsonValue } from '#lib/json.ts'
import type { ArgumentView } from '#lib/schemas/approvals.ts'
import type { ExecutionSummary } from '#lib/schemas/executions.ts'

const columns: [name: string, value: (row: ExecutionSummary) => string | null | undefined][] = [
  ['id', ({ id }) => id],
  ['effect', ({ effect }) => effect?.title],
  ['amount', ({ effect }) => effect?.amount?.value],
  ['currency', ({ effect }) => effect?.amount?.currency],
  ['status', ({ status }) => status],
  ['agent', ({ agentName }) => agentName],
  ['agentVersion', ({ agentVersion }) => agentVersion],
  ['environment', ({ environment }) => environment],
  ['input', ({ inputShown, inputOmitted }) => [...inputShown.map(inputText), ...moreText(inputOmitted)].join('; ')],
  ['startedBy', ({ startedBy }) => startedBy.displayName],
  ['startedAt', ({ createdAt }) => createdAt],
  ['endedAt', ({ endedAt }) => endedAt],
  ['durationMs', ({ durationMs }) => durationMs?.toString()],
  ['decision', ({ decision }) => decision?.status],
  ['decidedBy', ({ decision }) => decision?.by?.displayName],
  ['reason', ({ decision }) => decision?.reason],
  ['approvalId', ({ decision }) => decision?.approvalId],
  ['traceId', ({ traceId }) => traceId],
]

const inputText = ({ path, value = '', masked }: ArgumentView): string =>
  `${path}: ${masked === undefined ? textOf(value) : `masked, ${masked.class}`}`

/** As the list shows it; a text that reads like a masked value is quoted. */
const textOf = (value: JsonValue): string =>
  typeof value === 'string' && value.startsWith('masked, ') ? JSON.stringify(value) : leafText(value)

/** A list has only the first values of an input. */
const moreText = (omitted = 0): string[] => (omitted === 0 ? [] : [`… ${omitted} more`])

/** Executions as CSV: names of columns, then a line for each execution. Times are in UTC. */
export const executionsCsv = (rows: readonly ExecutionSummary[]): string =>
  toCsv([columns.map(([name]) => name), ...rows.map((row) => columns.map(([, value]) => value(row) ?? ''))])
