import type { JsonValue } from '#lib/json.ts'
import { costMicros, decimal, micros } from '#lib/rules/cost.ts'
import type { Execution } from '#lib/schemas/executions.ts'
import type { ToolResult } from '#server/agents/tool-result.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { ReleasedTool } from '#server/releases/content.ts'
import type { Loaded } from '../load.ts'
import type { ToolStep } from '../next-step.ts'
import { insertCharge, setCharged, sumCharges } from './charge-store.ts'
import { functionsOf, messagesFor } from './conversation.ts'
import { callKind, modelNamed } from './external.ts'

/** Tokens as the endpoint counted them. Undefined: it did not say, and the whole reservation is charged. */
export type Usage = { inputTokens: number; outputTokens: number }
export type CallResult = ToolResult & {
  usage?: Usage
  /** What the endpoint says of itself: model, id, finish reason. */
  response?: { model?: string; id?: string; finishReason?: string; firstChunkMs?: number }
}

/**
 * Reserves the most that a model call can cost, in the transaction that starts it; gives why not when the budget does not
 * hold that. A token has at least one byte, so the bytes of the request bound its tokens.
 */
export async function reserve(
  tx: Transaction,
  { tenant, row, content, steps, input }: Loaded,
  { step, tool, attempt }: { step: ToolStep; tool: ReleasedTool; attempt: number },
): Promise<{ code: string; message: string } | undefined> {
  if (callKind(tool) !== 'model') return undefined
  const model = modelNamed(content, tool.name)
  if (model === undefined) throw new Error(`The release has no model ${tool.name}.`)
  const { prices, maxOutputTokens } = model
  const records = steps.map((record) => ({ ...record, output: record.output as JsonValue }))
  const request: JsonValue = {
    messages: messagesFor(content, step.id, records, input) as JsonValue,
    tools: [...functionsOf(content).values()].map(({ definition }) => definition),
  }
  const most = { input: Buffer.byteLength(JSON.stringify(request)), output: maxOutputTokens }
  const reservedMicros = prices === undefined ? 0n : costMicros(prices, most)
  const limit = content.spec.limits.maxCost
  if (limit !== undefined) {
    const { micros: spent } = await sumCharges(tx, tenant.id, row.id)
    if (spent + reservedMicros > micros(limit.amount))
      return {
        code: 'budget_exceeded',
        message: `The next call of ${model.model} may cost ${decimal(reservedMicros)} ${limit.currency}; ${decimal(spent)} of ${limit.amount} are spent.`,
      }
  }
  const key = { tenantId: tenant.id, executionId: row.id, stepId: step.id, attempt }
  await insertCharge(tx, { ...key, model: model.model, currency: prices?.currency ?? null, reservedMicros })
  return undefined
}

/** Turns the reservation into what the call cost. Gives that, for the record; undefined for what has no price. */
export async function settle(
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

/** An attempt whose answer never came costs what was reserved for it. */
export const keepReserved = (
  tx: Transaction,
  { tenant, row }: Pick<Loaded, 'tenant' | 'row'>,
  { stepId, attempt }: { stepId: string; attempt: number },
): Promise<void> =>
  setCharged(
    tx,
    { tenantId: tenant.id, executionId: row.id, stepId, attempt },
    { chargedMicros: 'reserved', inputTokens: null, outputTokens: null },
  )

/** An attempt that never reached the endpoint, or that it turned away, costs nothing. */
export const releaseReserved = (
  tx: Transaction,
  { tenant, row }: Pick<Loaded, 'tenant' | 'row'>,
  { stepId, attempt }: { stepId: string; attempt: number },
): Promise<void> =>
  setCharged(
    tx,
    { tenantId: tenant.id, executionId: row.id, stepId, attempt },
    { chargedMicros: 0n, inputTokens: 0, outputTokens: 0 },
  )

/** What an execution has cost so far, for people. */
export async function usageOf(tx: Transaction, tenantId: string, executionId: string): Promise<Execution['usage']> {
  const { micros: spent, calls, currency, inputTokens, outputTokens } = await sumCharges(tx, tenantId, executionId)
  const cost = currency === null ? null : { amount: decimal(spent), currency }
  return { inputTokens, outputTokens, modelCalls: calls, cost }
}
