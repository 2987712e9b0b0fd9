import type { JsonObject } from '#lib/json.ts'
import type { ReleasedTool } from '#server/releases/content.ts'
import type { ToolStep } from './next-step.ts'

/** A tool call whose start is committed: from here on a crash leaves its outcome unknown. */
export type StartedCall = {
  step: ToolStep
  tool: ReleasedTool
  arguments: JsonObject
  spanId: string
  attempt: number
  revision: number
  /** What budgets were reserved for; null for steps of before. */
  decisionId: string | null
}
