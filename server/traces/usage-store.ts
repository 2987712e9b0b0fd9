import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { TraceKey } from './store.ts'

/** `cost`: as recorded with the calls; null if some of them lack it. */
export type ModelUsage = {
  model: string | null
  inputTokens: number
  outputTokens: number
  cost: string | null
  currency: string | null
}

/**
 * The tokens of a trace's model calls, by model. Only of spans of model calls: those of agents repeat the sums of their calls.
 * Telemetry has them as facts, executions as attributes.
 */
export async function listUsage(tx: Transaction, { tenantId, traceId, day }: TraceKey): Promise<ModelUsage[]> {
  const attribute = (key: string) =>
    sql`case when origin = 'execution' then jsonb_path_query_first(attributes, ${`$[*] ? (@.key == "${key}").value`}) #>> '{}' end`
  const { rows } = await sql<{
    model: string | null
    inputTokens: string
    outputTokens: string
    cost: string | null
    currency: string | null
  }>`
    with calls as (
      select
        coalesce(facts ->> 'model', ${attribute('gen_ai.request.model')}) as model,
        coalesce(facts ->> 'inputTokens', ${attribute('gen_ai.usage.input_tokens')})::numeric as input,
        coalesce(facts ->> 'outputTokens', ${attribute('gen_ai.usage.output_tokens')})::numeric as output,
        ${attribute('countersign.cost')} as cost
      from spans
      where tenant_id = ${tenantId} and day = ${day} and trace_id = ${traceId} and kind = 'model')
    select model, coalesce(sum(input), 0)::text as "inputTokens", coalesce(sum(output), 0)::text as "outputTokens",
      case when count(*) = count(cost) then sum(split_part(cost, ' ', 1)::numeric)::text end as cost,
      case when count(*) = count(cost) then min(split_part(cost, ' ', 2)) end as currency
    from calls
    where input is not null or output is not null
    group by model, split_part(cost, ' ', 2)
    order by model`.execute(tx)
  return rows.map((row) => ({ ...row, inputTokens: Number(row.inputTokens), outputTokens: Number(row.outputTokens) }))
}
