import type { JsonValue } from '#lib/json.ts'
import { parsePath, type SensitivePath } from '#lib/rules/mask.ts'
import { listSensitivePaths } from '#server/agents/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { listAgentsOfTraces } from '#server/traces/recording/batch-store.ts'
import type { KeyValue } from './otlp.ts'
import type { ClassDeclared } from './sensitive.ts'

type Spoken = { traceId: string; agent: string | undefined }

/**
 * The fields that registered agents declare as sensitive, by trace: those of every agent that a span of the trace names, and
 * of the agent whose execution it is. Spans of libraries don't name an agent but contain the same data.
 */
export async function classesDeclared(
  tx: Transaction,
  tenantId: string,
  spans: readonly Spoken[],
): Promise<(traceId: string) => ClassDeclared | undefined> {
  const traceIds = [...new Set(spans.map(({ traceId }) => traceId))]
  const names = [...new Set(spans.flatMap(({ agent }) => agent ?? []))]
  const recorded = await listAgentsOfTraces(tx, tenantId, traceIds)
  const ids = [...new Set(recorded.map(({ agentId }) => agentId))]
  const declared = await listSensitivePaths(tx, tenantId, { names, ids })
  if (declared.length === 0) return () => undefined
  const agents = new Map<string, Set<string>>(traceIds.map((traceId) => [traceId, new Set()]))
  for (const { traceId, agent } of spans) if (agent !== undefined) agents.get(traceId)?.add(agent)
  for (const { traceId, agentId } of recorded) agents.get(traceId)?.add(agentId)
  // Traces of the same agents share a function, because its results for keys are valid for all of them.
  const byPaths = new Map<string, ClassDeclared>()
  const classesOf = (paths: readonly SensitivePath[], key: string): ClassDeclared => {
    const known = byPaths.get(key) ?? classBy(paths)
    byPaths.set(key, known)
    return known
  }
  const byTrace = new Map(
    traceIds.map((traceId): [string, ClassDeclared | undefined] => {
      const of = agents.get(traceId)
      const paths = declared.filter(({ agentId, name }) => of?.has(agentId) === true || of?.has(name) === true)
      const key = [...new Set(paths.map(({ agentId }) => agentId))].join(' ')
      return [traceId, paths.length === 0 ? undefined : classesOf(paths, key)]
    }),
  )
  return (traceId) => byTrace.get(traceId)
}

/**
 * A path matches at any depth: `$.customer.email` matches `customer.email`, `request.customer.email`, and the same members in
 * a structure or in JSON text.
 */
export function classBy(paths: readonly SensitivePath[]): ClassDeclared {
  const parsed = paths.map(({ path, class: className }) => ({ steps: parsePath(path) ?? [], className }))
  const classOf = (key: string, value: JsonValue): string | undefined => {
    const whole = key.split('.').reduceRight<JsonValue>((inner, step) => [{ key: step, value: inner }], value)
    return parsed.find(({ steps }) => steps.length > 0 && holds(whole, steps))?.className
  }
  // If a path can't end within the value, only its key decides. The same few keys occur in all spans.
  const ends = new Set(parsed.map(({ steps }) => steps.at(-1) ?? ''))
  const mayEndIn = (value: JsonValue): boolean => {
    if (typeof value === 'object') return value !== null
    if (typeof value !== 'string' || !looksLikeJson.test(value)) return false
    return ends.has('*') || value.includes('\\') || [...ends].some((end) => value.includes(end))
  }
  const byKey = new Map<string, string | undefined>()
  return ({ key, value }) => {
    if (mayEndIn(value)) return classOf(key, unfolded(value))
    if (byKey.has(key)) return byKey.get(key)
    const found = classOf(key, null)
    if (byKey.size < maxKeys) byKey.set(key, found)
    return found
  }
}

const looksLikeJson = /^\s*[[{]/
/** The number of keys that are cached for one request. */
const maxKeys = 1_000

function unfolded(value: JsonValue): JsonValue {
  if (typeof value !== 'string' || !looksLikeJson.test(value)) return value
  try {
    const parsed: JsonValue = JSON.parse(value)
    return parsed
  } catch (error) {
    if (error instanceof SyntaxError) return value
    throw error
  }
}

/** Whether `steps` lead to a field of `value`, starting at any depth. */
function holds(value: JsonValue, steps: readonly string[]): boolean {
  const [step, ...rest] = steps
  if (step === undefined) return true
  return membersOf(value).some(
    ([name, inner]) => ((step === name || step === '*') && follows(inner, rest)) || holds(inner, steps),
  )
}

const follows = (value: JsonValue, steps: readonly string[]): boolean => {
  const [step, ...rest] = steps
  if (step === undefined) return true
  return membersOf(value).some(([name, inner]) => (step === name || step === '*') && follows(inner, rest))
}

function membersOf(value: JsonValue): [name: string | undefined, inner: JsonValue][] {
  if (typeof value !== 'object' || value === null) return []
  if (!Array.isArray(value)) return Object.entries(value)
  return value.map((inner) => (isPair(inner) ? [inner.key, inner.value] : [undefined, inner]))
}

const isPair = (value: JsonValue): value is KeyValue =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.hasOwn(value, 'key') &&
  Object.hasOwn(value, 'value') &&
  typeof value.key === 'string'
