import type { JsonValue } from '#lib/json.ts'
import { costMicros, decimal, micros } from '#lib/rules/cost.ts'
import type { Execution } from '#lib/schemas/executions.ts'
import type { Model } from '#lib/schemas/manifest.ts'
import type { BudgetUse } from '#lib/schemas/policies.ts'
import type { ToolResult } from '#server/agents/tool-result.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import type { ToolStep } from '#server/executions/state/next-step.ts'
import type { StartedCall } from '#server/executions/state/started-call.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { type CallEnd, reserveAgain, settleBudgets } from '#server/policies/budgets/settle-budgets.ts'
import type { ReleasedTool } from '#server/releases/content.ts'
import { insertCharge, setCharged, sumCharges } from './charge-store.ts'
import { functionsOf, messagesFor } from './conversation.ts'
import { callKind, modelNamed } from './external.ts'

/** Tokens as counted by the endpoint. Undefined when it did not report them; the full reservation is then charged. */
export type Usage = { inputTokens: number; outputTokens: number }
export type CallResult = ToolResult & {
  usage?: Usage
  /** As reported by the endpoint. */
  response?: { model?: string; id?: string; finishReason?: string; firstChunkMs?: number }
}

/** The most tokens a call can use. A token has at least one byte, so the size of the request bounds its tokens. */
export function mostOf(
  { content, steps, input }: Pick<Loaded, 'content' | 'steps' | 'input'>,
  stepId: string,
  { maxOutputTokens }: Model,
): { input: number; output: number } {
  const records = steps.map((record) => ({ ...record, output: record.output as JsonValue }))
  const request: JsonValue = {
    messages: messagesFor(content, stepId, records, input) as JsonValue,
    tools: [...functionsOf(content).values()].map(({ definition }) => definition),
  }
  return { input: Buffer.byteLength(JSON.stringify(request)), output: maxOutputTokens }
}

/**
 * Reserves the highest possible cost of a model call in the transaction that starts it. Returns the reason when the manifest's
 * budget does not cover it. Budgets of policies are reserved with their decision.
 */
export async function reserve(
  tx: Transaction,
  loaded: Loaded,
  { step, tool, attempt }: { step: ToolStep; tool: ReleasedTool; attempt: number },
): Promise<{ code: string; message: string } | undefined> {
  if (callKind(tool) !== 'model') return undefined
  const { tenant, row, content } = loaded
  const model = modelNamed(content, tool.name)
  if (model === undefined) throw new Error(`The release does not have a model named ${tool.name}.`)
  const { prices } = model
  const most = mostOf(loaded, step.id, model)
  const reservedMicros = prices === undefined ? 0n : costMicros(prices, most)
  const limit = content.spec.limits.maxCost
  if (limit !== undefined) {
    const { micros: spent } = await sumCharges(tx, tenant.id, row.id)
    if (spent + reservedMicros > micros(limit.amount))
      return {
        code: 'budget_exceeded',
        message: `The next call of ${model.model} can cost up to ${decimal(reservedMicros)} ${limit.currency}, and ${decimal(spent)} of ${limit.amount} ${limit.currency} is already spent.`,
      }
  }
  const key = { tenantId: tenant.id, executionId: row.id, stepId: step.id, attempt }
  await insertCharge(tx, { ...key, model: model.model, currency: prices?.currency ?? null, reservedMicros })
  return undefined
}

/** As `reserve`, for a retry of a call; also reserves in the budgets of policies, whose decision covers only the first attempt. */
export async function reserveNext(
  tx: Transaction,
  loaded: Loaded,
  { decisionId, ...call }: { step: ToolStep; tool: ReleasedTool; attempt: number; decisionId: string | null },
): Promise<{ code: string; message: string } | undefined> {
  const overspent = await reserve(tx, loaded, call)
  if (overspent !== undefined) return overspent
  if (await reserveAgain(tx, loaded.tenant.id, { decisionId, attempt: call.attempt })) return undefined
  await releaseReserved(tx, loaded, { stepId: call.step.id, attempt: call.attempt, decisionId: null })
  return { code: 'budget_exhausted', message: 'The budget of a policy does not cover a retry of the call.' }
}

/** Settles the reservations of a call, for the manifest's limit and for policies. `cost` is undefined without a price. */
export async function settleCall(
  tx: Transaction,
  loaded: Loaded,
  call: StartedCall,
  result: CallResult,
): Promise<{ cost: { amount: string; currency: string } | undefined; uses: BudgetUse[] }> {
  const cost = await settle(tx, loaded, call, result)
  const { usage } = result
  const tokens = usage === undefined ? undefined : usage.inputTokens + usage.outputTokens
  const end: CallEnd = result.refused === undefined ? { made: 'yes', tokens, cost } : { made: 'no' }
  return { cost, uses: call.reserved === false ? [] : await settleBudgets(tx, loaded.tenant.id, call, end) }
}

/** Replaces the reservation with the actual cost and returns it for the audit record; undefined without a price. */
async function settle(
  tx: Transaction,
  { tenant, row, content }: Loaded,
  call: { step: ToolStep; tool: ReleasedTool; attempt: number },
  result: CallResult,
): Promise<{ amount: string; currency: string } | undefined> {
  if (callKind(call.tool) !== 'model') return undefined
  const prices = modelNamed(content, call.tool.name)?.prices
  const { usage } = result
  const cost =
    usage === undefined || prices === undefined
      ? undefined
      : costMicros(prices, { input: usage.inputTokens, output: usage.outputTokens })
  await setCharged(
    tx,
    { tenantId: tenant.id, executionId: row.id, stepId: call.step.id, attempt: call.attempt },
    {
      chargedMicros: cost ?? 'reserved',
      inputTokens: usage?.inputTokens ?? null,
      outputTokens: usage?.outputTokens ?? null,
    },
  )
  return cost === undefined || prices === undefined ? undefined : { amount: decimal(cost), currency: prices.currency }
}

type Attempt = { stepId: string; attempt: number; decisionId: string | null }

/** Charges the full reservation of an attempt that was never answered. */
export async function keepReserved(tx: Transaction, { tenant, row }: Loaded, attempt: Attempt): Promise<void> {
  const charge = { chargedMicros: 'reserved' as const, inputTokens: null, outputTokens: null }
  await setCharged(tx, chargeKey(tenant.id, row.id, attempt), charge)
  await settleBudgets(tx, tenant.id, attempt, { made: 'unknown' })
}

/** Releases the reservation of an attempt that did not reach the endpoint or was turned away; it is retried as the same call. */
export async function releaseReserved(tx: Transaction, { tenant, row }: Loaded, attempt: Attempt): Promise<void> {
  const charge = { chargedMicros: 0n, inputTokens: 0, outputTokens: 0 }
  await setCharged(tx, chargeKey(tenant.id, row.id, attempt), charge)
  await settleBudgets(tx, tenant.id, attempt, { made: 'not served' })
}

const chargeKey = (tenantId: string, executionId: string, { stepId, attempt }: Attempt) => ({
  tenantId,
  executionId,
  stepId,
  attempt,
})

/** The usage and cost of an execution so far, for display. */
export async function usageOf(tx: Transaction, tenantId: string, executionId: string): Promise<Execution['usage']> {
  const { micros: spent, calls, currency, inputTokens, outputTokens } = await sumCharges(tx, tenantId, executionId)
  const cost = currency === null ? null : { amount: decimal(spent), currency }
  return { inputTokens, outputTokens, modelCalls: calls, cost }
}
