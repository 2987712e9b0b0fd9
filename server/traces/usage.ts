import { costMicros, decimal, micros, type Prices } from '#lib/rules/cost.ts'
import { modelsOf } from '#lib/rules/models.ts'
import type { TraceUsage } from '#lib/schemas/traces.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { ReleaseContent } from '#server/releases/content.ts'
import { listActiveContents } from '#server/releases/store.ts'
import type { TraceKey } from './store.ts'
import { listUsage, type ModelUsage } from './usage-store.ts'

/** The tokens, models and cost of a trace. Null without a model call that reports its tokens. */
export async function usageOfTrace(tx: Transaction, key: TraceKey, agentId: string | null): Promise<TraceUsage | null> {
  const rows = await listUsage(tx, key)
  if (rows.length === 0) return null
  const unpriced = rows.some(({ cost }) => cost === null)
  const prices = unpriced && agentId !== null ? await pricesOf(tx, key.tenantId, agentId) : new Map<string, Prices>()
  return {
    inputTokens: rows.reduce((sum, row) => sum + row.inputTokens, 0),
    outputTokens: rows.reduce((sum, row) => sum + row.outputTokens, 0),
    models: [...new Set(rows.flatMap(({ model }) => model ?? []))],
    cost: totalCost(rows, prices),
  }
}

/** Prices in the manifests of the agent's active releases, by model. */
export async function pricesOf(tx: Transaction, tenantId: string, agentId: string): Promise<Map<string, Prices>> {
  const contents = await listActiveContents(tx, tenantId, agentId)
  const models = contents.flatMap((content) => modelsOf(ReleaseContent.parse(content).spec))
  return new Map(models.flatMap(({ model, prices }) => (prices === undefined ? [] : [[model, prices] as const])))
}

/** Null if a price is unknown, or the currencies differ: part of a sum would look like all of it. */
export function totalCost(rows: readonly ModelUsage[], prices: ReadonlyMap<string, Prices>): TraceUsage['cost'] {
  let sum = 0n
  let currency: string | undefined
  for (const row of rows) {
    const cost = costOfModel(row, prices)
    if (cost === undefined || (currency !== undefined && cost.currency !== currency)) return null
    currency = cost.currency
    sum += cost.micros
  }
  return currency === undefined ? null : { amount: decimal(sum), currency }
}

/** What one model's calls cost; undefined if the price is unknown. */
export function costOfModel(
  { model, inputTokens, outputTokens, cost, currency }: ModelUsage,
  prices: ReadonlyMap<string, Prices>,
): { micros: bigint; currency: string } | undefined {
  if (cost !== null && currency !== null) return { micros: micros(cost), currency }
  const price = model === null ? undefined : priceOf(model, prices)
  return price === undefined
    ? undefined
    : { micros: costMicros(price, { input: inputTokens, output: outputTokens }), currency: price.currency }
}

/** Endpoints answer with the dated name of a model that was asked for without its date. */
function priceOf(model: string, prices: ReadonlyMap<string, Prices>): Prices | undefined {
  return prices.get(model) ?? prices.get(model.replace(/-\d{4}(-?\d\d){0,2}$/, ''))
}
