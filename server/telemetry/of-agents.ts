import type { Transaction } from '#server/kernel/db/database.ts'
import { listNamesOfTraces } from '#server/traces/recording/batch-store.ts'
import { agentOfTrace } from '#server/traces/recording/record-batch.ts'
import type { Normalised } from './normalise.ts'
import type { Scoped } from './otlp.ts'

type Span = { scoped: Scoped; facts: Normalised }

/**
 * Returns the spans whose trace belongs to one of `agents`: a trace that exists by its agent, a new one by the agent that it
 * would have; and neither by a root that would give it to another agent. The recording checks existing traces again, once it
 * has locked them.
 */
export async function ofAgents(
  tx: Transaction,
  tenantId: string,
  spans: readonly Span[],
  agents: readonly string[],
): Promise<Span[]> {
  const byTrace = Map.groupBy(spans, ({ scoped }) => scoped.span.traceId)
  const known = await listNamesOfTraces(tx, tenantId, [...byTrace.keys()])
  const isOurs = (agent: string | null | undefined) => typeof agent === 'string' && agents.includes(agent)
  return [...byTrace].flatMap(([traceId, of]) => {
    const facts = of.map(({ scoped, facts: { agent, service } }) => ({
      parentSpanId: scoped.span.parentSpanId,
      agent,
      service,
    }))
    const roots = facts.filter(({ parentSpanId, agent }) => parentSpanId === null && agent !== undefined)
    const owner = known.has(traceId) ? known.get(traceId) : agentOfTrace(facts)
    if (!isOurs(owner) || !roots.every(({ agent }) => isOurs(agent))) return []
    // Another agent that a child names would be noted as seen, and could become the trace's.
    return of.map((span) =>
      span.facts.agent === undefined || isOurs(span.facts.agent)
        ? span
        : { ...span, facts: { ...span.facts, agent: undefined } },
    )
  })
}
