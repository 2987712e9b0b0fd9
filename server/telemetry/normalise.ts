import type { JsonObject, JsonValue } from '#lib/json.ts'
import type { SpanKind } from '#lib/schemas/traces.ts'
import { aiSdk } from './dialects/ai-sdk.ts'
import { genAi } from './dialects/gen-ai.ts'
import { openInference } from './dialects/open-inference.ts'
import { traceloop } from './dialects/traceloop.ts'
import { type Dialect, type Facts, nameIn, type Read } from './facts.ts'
import type { KeyValue, Scoped } from './otlp.ts'

// A newer convention precedes the one that it replaced. If a span uses two, facts of the first one have priority.
const dialects: readonly [name: string, read: Dialect][] = [
  ['gen_ai', genAi],
  ['openinference', openInference],
  ['ai', aiSdk],
  ['traceloop', traceloop],
]

/** `agent`: the name that the agent states, or else the service. `service`: unless it is an SDK's default name. */
export type Normalised = {
  kind: SpanKind
  facts: JsonObject
  agent: string | undefined
  service: string | undefined
}

/** Returns the facts of a span in any dialect. Facts of a second dialect are added to those of the first. */
export function normalise({ resource, scope, span: { name, attributes } }: Scoped): Normalised {
  const all = new Map<string, JsonValue>()
  for (const { key, value } of attributes) all.set(key, value)
  const read: Read = (key) => all.get(key)
  let found: Facts | undefined
  let spoken: string | undefined
  for (const [dialect, speak] of dialects) {
    const facts = speak(read, name)
    if (facts === undefined) continue
    spoken = spoken === undefined ? dialect : `${spoken}+${dialect}`
    found = merge(found, facts)
  }
  const { service, serviceVersion, environment } = factsOfResource(resource)
  const facts: JsonObject = {}
  const add = (key: string, value: string | number | undefined) => {
    if (value !== undefined) facts[key] = value
  }
  add('operation', found?.operation)
  add('agent', found?.agent)
  add('model', found?.model)
  add('provider', found?.provider)
  add('tool', found?.tool)
  add('conversation', found?.conversation)
  add('inputTokens', found?.inputTokens)
  add('outputTokens', found?.outputTokens)
  add('dialect', spoken)
  add('service', service)
  add('serviceVersion', serviceVersion)
  add('environment', environment)
  add('scope', nameIn(scope))
  const named = serviceOf(service)
  return { kind: found?.kind ?? 'other', facts, agent: found?.agent ?? named, service: named }
}

type ResourceFacts = Record<'service' | 'serviceVersion' | 'environment', string | undefined>

// All spans of a group share a resource.
const ofResource = new WeakMap<readonly KeyValue[], ResourceFacts>()

function factsOfResource(resource: readonly KeyValue[]): ResourceFacts {
  const before = ofResource.get(resource)
  if (before !== undefined) return before
  const of = (key: string) => nameIn(resource.find((one) => one.key === key)?.value)
  const facts = {
    service: of('service.name'),
    serviceVersion: of('service.version'),
    environment: of('deployment.environment.name') ?? of('deployment.environment'),
  }
  ofResource.set(resource, facts)
  return facts
}

/** The default names of SDKs that were not given one don't identify an agent. */
const serviceOf = (service: string | undefined): string | undefined =>
  service?.startsWith('unknown_service') === true ? undefined : service

function merge(before: Facts | undefined, next: Facts): Facts {
  if (before === undefined) return next
  const added = Object.fromEntries(
    Object.entries(next).filter(([key, value]) => value !== undefined && Reflect.get(before, key) === undefined),
  )
  // Without an operation the kind is a guess, because Traceloop's SDK names the agent on each of its tools.
  const isGuess = before.kind === 'other' || before.operation === undefined
  return { ...before, ...added, kind: isGuess && next.kind !== 'other' ? next.kind : before.kind }
}
