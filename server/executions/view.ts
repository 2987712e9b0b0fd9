import type { JsonValue } from '#lib/json.ts'
import { type Execution, type ExecutionSummary, StepView } from '#lib/schemas/executions.ts'
import type { Step } from '#lib/schemas/manifest.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import { gatewayStep, isGatewayCall } from './runtimes/next-gateway.ts'

/** An execution for display: masked, with every step of its release. */
export function executionView(
  { row, content, steps, mask, input }: Loaded,
  summary: ExecutionSummary,
  { usage, erased }: Pick<Execution, 'usage' | 'erased'>,
): Execution {
  const records = new Map(steps.map((step) => [step.stepId, step]))
  return {
    ...summary,
    releaseId: row.releaseId,
    input: mask(input),
    output: row.output === null ? null : mask(row.output as JsonValue),
    error: row.error === null ? null : (mask(row.error as JsonValue) as { code: string; message: string }),
    usage,
    erased,
    steps: shownSteps(content, steps, input).map((step) => {
      const record = records.get(step.id)
      const tool =
        'tool' in step && typeof step.tool === 'object' ? (step.tool as { server: string; name: string }) : undefined
      return {
        id: step.id,
        kind: tool !== undefined ? ('tool' as const) : 'wait' in step ? ('wait' as const) : ('model' as const),
        title: tool === undefined ? step.id : `${tool.server}.${tool.name}`,
        approvalId: record?.approvalId ?? null,
        startedAt: record?.startedAt?.toISOString() ?? null,
        ...stateOf(record, row.endedAt),
      }
    }),
    startedAt: row.startedAt?.toISOString() ?? null,
    deadlineAt: row.deadlineAt?.toISOString() ?? null,
    parkedAt: row.parkedAt?.toISOString() ?? null,
  }
}

/** The states of a step between its start and its call. */
const beforeCall: ReadonlySet<string> = new Set(['decided', 'waiting_approval', 'waiting_input', 'approved'])

/** What a step has come to: after the end of its execution it does not wait for anything. A call without an answer ends with it. */
function stateOf(
  record: Loaded['steps'][number] | undefined,
  executionEndedAt: Date | null,
): Pick<StepView, 'status' | 'endedAt'> {
  const status = StepView.shape.status.parse(record?.status ?? 'pending')
  if (executionEndedAt !== null && beforeCall.has(status)) return { status: 'skipped', endedAt: null }
  const endedAt = record?.endedAt ?? (status === 'calling' ? executionEndedAt : null)
  return { status, endedAt: endedAt?.toISOString() ?? null }
}

/** The steps of the release or, for a runtime without declared steps, those taken so far, in order. */
function shownSteps(content: Loaded['content'], steps: Loaded['steps'], input: Loaded['input']): readonly Step[] {
  if (isGatewayCall(steps)) return [gatewayStep(input)]
  const { runtime } = content.spec
  if (runtime.steps !== undefined) return runtime.steps
  return [...steps]
    .sort(
      (a, b) =>
        (a.startedAt?.getTime() ?? Number.MAX_SAFE_INTEGER) - (b.startedAt?.getTime() ?? Number.MAX_SAFE_INTEGER),
    )
    .map(({ stepId }) =>
      /^turn-\d+$/.test(stepId)
        ? { id: stepId, model: { prompt: '' } }
        : runtime.a2a !== undefined && stepId.startsWith('reply-')
          ? { id: stepId, wait: { input: stepId } }
          : {
              id: stepId,
              tool: { server: runtime.chat === undefined ? 'agent' : 'tool', name: stepId, arguments: {} },
            },
    )
}
