import type { JsonObject, JsonValue } from '#lib/json.ts'
import { fillTemplate, holds, type Scope, TemplateError } from '#lib/rules/template.ts'
import type { Step } from '#lib/schemas/manifest.ts'

export type StepRecord = { stepId: string; status: string; output: JsonValue | null }

/** The next step of an execution, from its journal alone. */
export type NextStep =
  | { kind: 'done'; output: JsonValue }
  | { kind: 'skip'; step: Step }
  | { kind: 'call'; step: ToolStep; tool: { server: string; name: string }; arguments: JsonObject; index: number }
  /** `status`: the step's last state before a crash or a wait. */
  | { kind: 'resume'; step: Step; status: 'waiting_approval' | 'approved' | 'calling' }
  | { kind: 'wait'; step: WaitStep }
  /** The step waits for input; received input is in the database. */
  | { kind: 'waiting'; step: WaitStep }
  /** A model call; runtimes/next-turn.ts turns it into a call. */
  | { kind: 'model'; step: Step; index: number }
  | { kind: 'fail'; step: Step; code: string; message: string }

/** Pure: the first unfinished step, with its condition and arguments evaluated. */
export function nextStep(steps: readonly Step[], records: readonly StepRecord[], input: JsonValue): NextStep {
  const byId = new Map(records.map((record) => [record.stepId, record]))
  const scope = scopeOf(records, input)
  let output: JsonValue = null
  for (const [index, step] of steps.entries()) {
    const record = byId.get(step.id)
    if (record?.status === 'succeeded') output = record.output
    if (record?.status === 'succeeded' || record?.status === 'skipped') continue
    if (record?.status === 'waiting_approval' || record?.status === 'approved' || record?.status === 'calling')
      return { kind: 'resume', step, status: record.status }
    if (record?.status === 'waiting_input' && isWaitStep(step)) return { kind: 'waiting', step }
    return begin(step, index, scope)
  }
  return { kind: 'done', output }
}

/** The values that templates of later steps can refer to. */
export const scopeOf = (records: readonly StepRecord[], input: JsonValue): Scope => ({
  input,
  steps: Object.fromEntries(
    records
      .filter((record) => record.status === 'succeeded')
      .map((record) => [record.stepId, { output: record.output }]),
  ),
})

function begin(step: Step, index: number, scope: Scope): NextStep {
  try {
    if (step.when !== undefined && !holds(step.when, scope)) return { kind: 'skip', step }
    if (isWaitStep(step)) return { kind: 'wait', step }
    if (!isToolStep(step)) return { kind: 'model', step, index }
    const args = fillTemplate(step.tool.arguments, scope)
    return {
      kind: 'call',
      step,
      tool: { server: step.tool.server, name: step.tool.name },
      arguments: args as JsonObject,
      index,
    }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return { kind: 'fail', step, code: 'template_error', message: error.message }
  }
}

export type ToolStep = Extract<Step, { tool: unknown }>
export type WaitStep = Extract<Step, { wait: unknown }>
export const isWaitStep = (step: Step): step is WaitStep => 'wait' in step && typeof step.wait === 'object'
export const isToolStep = (step: Step): step is ToolStep => 'tool' in step && typeof step.tool === 'object'
