import type { JsonObject, JsonValue } from '#lib/json.ts'
import type { Obligation } from '#lib/schemas/policies.ts'
import { callKind } from '#server/executions/runtimes/external.ts'
import { modelAttributes } from '#server/executions/runtimes/model-spans.ts'
import type { JournalEntry } from '#server/executions/state/journal.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import type { ToolStep } from '#server/executions/state/next-step.ts'
import { rootSpanId, spanIdOf } from '#server/executions/state/spans.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { PolicyDecision } from '#server/policies/decisions/decide.ts'
import type { ReleasedTool } from '#server/releases/content.ts'
import { masked, type NewSpan, startSpan } from '#server/traces/recording/record.ts'

/** Writes the span of a decision, and returns the journal entry for the caller to write. */
export async function recordDecision(
  tx: Transaction,
  loaded: Loaded,
  step: ToolStep,
  tool: ReleasedTool,
  decision: PolicyDecision,
): Promise<JournalEntry> {
  await startSpan(tx, loaded.tenant.id, { traceId: loaded.row.traceId, ...decisionSpan(loaded, tool, decision) })
  return decisionEntry(step, decision)
}

export function decisionSpan({ row }: Loaded, tool: ReleasedTool, decision: PolicyDecision): NewSpan {
  const at = new Date()
  return {
    spanId: spanIdOf(row.traceId, decision.decisionId),
    parentSpanId: rootSpanId(row.traceId),
    name: `decide ${tool.server}.${tool.name}`,
    kind: 'policy',
    attributes: [
      { key: 'countersign.decision.id', value: decision.decisionId },
      { key: 'countersign.decision.effect', value: decision.effect },
      { key: 'countersign.decision.rules', value: rulesOf(decision) },
      { key: 'countersign.decision.input_digest', value: decision.inputDigest },
    ],
    startedAt: at,
    ended: { at, status: decision.effect === 'deny' ? 'error' : 'ok' },
  }
}

export const decisionEntry = (step: ToolStep, decision: PolicyDecision): JournalEntry => ({
  type: 'policy.decided',
  stepId: step.id,
  data: {
    decisionId: decision.decisionId,
    effect: decision.effect,
    rules: rulesOf(decision),
    inputDigest: decision.inputDigest,
    ...withBudgets(budgetsOf(decision.obligations)),
  },
})

const rulesOf = ({ reasons }: PolicyDecision): string[] =>
  reasons.map((reason) => `${reason.policyName} v${reason.policyVersion}: ${reason.rule}`)

/** The budgets of a decision: rule, amount and state. */
export const budgetsOf = (obligations: readonly Obligation[]): JsonObject[] =>
  obligations
    .filter(({ kind }) => kind === 'budget')
    .map(({ policyRule, parameters: { key: _internal, ...known } }) => ({ rule: policyRule, ...known }))

/** Omits `budgets` from records without any. */
export const withBudgets = (budgets: readonly JsonObject[] = []): JsonObject =>
  budgets.length === 0 ? {} : { budgets: [...budgets] }

type Called = { step: ToolStep; tool: ReleasedTool; arguments: JsonObject; spanId: string; attempt: number }

export const startToolSpan = (tx: Transaction, loaded: Loaded, call: Called): Promise<void> =>
  startSpan(tx, loaded.tenant.id, { traceId: loaded.row.traceId, ...toolSpan(loaded, call) })

export function toolSpan(loaded: Loaded, call: Called): NewSpan {
  const { row, mask } = loaded
  const kind = callKind(call.tool)
  const attributes =
    kind === 'model'
      ? modelAttributes(loaded, call)
      : [
          { key: 'gen_ai.operation.name', value: 'execute_tool' },
          { key: 'gen_ai.tool.name', value: call.tool.name },
          { key: kind === 'tool' ? 'mcp.server' : 'countersign.agent', value: call.tool.server },
          masked('gen_ai.tool.call.arguments', call.arguments as JsonValue, mask),
        ]
  return {
    spanId: call.spanId,
    parentSpanId: rootSpanId(row.traceId),
    name: kind === 'model' ? `chat ${call.tool.name}` : `execute_tool ${call.tool.name}`,
    kind: kind === 'model' ? 'model' : 'tool',
    attributes: [
      { key: 'countersign.step', value: call.step.id },
      { key: 'countersign.attempt', value: call.attempt },
      ...attributes,
    ],
    startedAt: new Date(),
  }
}

export async function auditCall(
  tx: Transaction,
  { tenant, row }: Loaded,
  {
    step,
    tool,
    attempt,
    approvalId,
    standingGrantId,
    budgets,
  }: {
    step: ToolStep
    tool: ReleasedTool
    attempt: number
    approvalId?: string
    standingGrantId?: string
    budgets?: JsonObject[]
  },
): Promise<void> {
  await appendAudit(tx, tenant, {
    actor: { type: 'agent', id: row.agentId, name: row.agentName },
    action: `${callKind(tool)}.called`,
    resource: { type: 'execution', id: row.id },
    details: {
      step: step.id,
      tool: `${tool.server}/${tool.name}`,
      attempt,
      idempotencyKey: `${row.id}:${step.id}`,
      approvalId,
      standingGrantId,
      ...withBudgets(budgets),
    },
  })
}
