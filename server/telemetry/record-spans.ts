import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { recordBatch, type TelemetrySpan } from '#server/traces/recording/record-batch.ts'
import type { WrittenAttribute } from '#server/traces/recording/write-span.ts'
import { classesDeclared } from './declared.ts'
import type { Normalised } from './normalise.ts'
import { ofAgents } from './of-agents.ts'
import type { KeyValue, Rejections, Scoped } from './otlp.ts'
import type { ClassDeclared } from './sensitive.ts'
import { isTooLongToShow, mostShown } from './shown-size.ts'
import { toSpan, written } from './to-span.ts'

type Context = { tx: Transaction; tenant: Tenant; principal: Principal; auditId: string }

/**
 * Records what a request contains, as far as its connection token is for the agents. Returns counts, and how many items were
 * refused, for which reasons; undefined if none were.
 */
export async function recordSpans(
  { tx, tenant, principal, auditId }: Context,
  all: readonly { scoped: Scoped; facts: Normalised }[],
  rejected: Rejections,
) {
  const agents = principal.connection?.agents
  const normalised = agents === undefined ? all : await ofAgents(tx, tenant.id, all, agents)
  const spoken = normalised.map(({ scoped: { span }, facts }) => ({ traceId: span.traceId, agent: facts.agent }))
  const declared = await classesDeclared(tx, tenant.id, spoken)
  const spans = prepared(normalised, declared, rejected)
  const { added, conflicting, outside, ...recorded } = await recordBatch(tx, tenant.id, auditId, spans, agents)
  const elsewhere = all.length - normalised.length + outside
  const count = rejected.count + conflicting + elsewhere
  const reasons = new Set(rejected.reasons)
  if (conflicting > 0) reasons.add('another span has this trace id and span id already')
  if (elsewhere > 0) reasons.add('the connection token is not for the agent of this trace')
  const refused = count === 0 ? undefined : { count: String(count), errorMessage: [...reasons].join('; ') }
  return { recorded: { auditId, spans: added, ...recorded }, refused }
}

/** Yields spans one at a time, without those that an archive could not contain, so that only one of them is in memory. */
function* prepared(
  normalised: readonly { scoped: Scoped; facts: Normalised }[],
  declared: (traceId: string) => ClassDeclared | undefined,
  rejected: Rejections,
): Generator<TelemetrySpan> {
  const resources = resourceWriter()
  for (const { scoped, facts } of normalised) {
    if (isTooLongToShow(scoped)) {
      rejected.add(`keys and short values of a span or resource have more than ${mostShown} bytes`)
      continue
    }
    const classes = declared(scoped.span.traceId)
    yield toSpan(scoped, facts, classes, resources(scoped.resource, classes))
  }
}

/** Returns the same list for spans with the same resource and declarations, so that it is stored once. */
function resourceWriter() {
  const known = new Map<readonly KeyValue[], Map<ClassDeclared | undefined, readonly WrittenAttribute[]>>()
  return (resource: readonly KeyValue[], declared: ClassDeclared | undefined): readonly WrittenAttribute[] => {
    const byClasses = known.get(resource) ?? new Map<ClassDeclared | undefined, readonly WrittenAttribute[]>()
    known.set(resource, byClasses)
    const before = byClasses.get(declared)
    if (before !== undefined) return before
    const made = resource.map((pair) => written(pair, declared))
    byClasses.set(declared, made)
    return made
  }
}
