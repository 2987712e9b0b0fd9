import type { Loaded } from '#server/executions/state/load.ts'

/** The tool calls that an execution has started; model calls do not count. */
export function countToolCalls({ content, steps }: Pick<Loaded, 'content' | 'steps'>): number {
  const { runtime } = content.spec
  const models = new Set((runtime.steps ?? []).flatMap((step) => ('model' in step ? [step.id] : [])))
  const isTool = (stepId: string) => (runtime.steps === undefined ? stepId.includes('.tool-') : !models.has(stepId))
  return steps.filter((record) => record.attempts > 0 && isTool(record.stepId)).length
}
