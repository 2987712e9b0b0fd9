import type { JsonObject } from '#lib/json.ts'
import type { ReleasedTool } from '#server/releases/content.ts'
import type { KnownRows } from './known-store.ts'
import type { ToolStep } from './next-step.ts'

/** A tool call whose start is committed; a crash from here on leaves its outcome unknown. */
export type StartedCall = {
  step: ToolStep
  tool: ReleasedTool
  arguments: JsonObject
  spanId: string
  attempt: number
  revision: number
  /** The decision that reserved the budgets; null for steps started before this field existed. */
  decisionId: string | null
  /** Whether the decision reserved any; undefined if that has to be read. */
  reserved?: boolean
  /** The rows of its execution, if this process has written all of them. */
  known?: KnownRows
}
