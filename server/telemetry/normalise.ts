import type { JsonObject } from '#lib/json.ts'
import type { SpanKind } from '#lib/schemas/traces.ts'
import { aiSdk } from './dialects/ai-sdk.ts'
import { genAi } from './dialects/gen-ai.ts'
import { openInference } from './dialects/open-inference.ts'
import { traceloop } from './dialects/traceloop.ts'
import { type Dialect, type Facts, nameIn, type Read } from './facts.ts'
import type { Scoped } from './otlp.ts'

// A newer convention stands before what it replaced; where a span speaks two, the first one is right about what it says.
const dialects: readonly [name: string, read: Dialect][] = [
  ['gen_ai', genAi],
  ['openinference', openInference],
  ['ai', aiSdk],
  ['traceloop', traceloop],
]

/** `agent`: as it calls itself, else the service. */
export type Normalised = { kind: SpanKind; facts: JsonObject; agent: string | undefined }

/** The facts of a span in whatever dialect, as one; those that a second dialect adds come to those of the first. */
export function normalise({ resource, scope, span: { name, attributes } }: Scoped): Normalised {
  const all = new Map(attributes.map(({ key, value }) => [key, value]))
  const read: Read = (key) => all.get(key)
  let found: Facts | undefined
  const spoken: string[] = []
  for (const [dialect, speak] of dialects) {
    const facts = speak(read, name)
    if (facts === undefined) continue
    spoken.push(dialect)
    found = merge(found, facts)
  }
  const of = (key: string) => nameIn(resource.find((one) => one.key === key)?.value)
  const { kind = 'other', ...rest } = found ?? {}
  const facts: JsonObject = {}
  for (const [key, value] of Object.entries({
    ...rest,
    dialect: spoken.length === 0 ? undefined : spoken.join('+'),
    service: of('service.name'),
    serviceVersion: of('service.version'),
    environment: of('deployment.environment.name') ?? of('deployment.environment'),
    scope: nameIn(scope),
  }))
    if (value !== undefined) facts[key] = value
  return { kind, facts, agent: found?.agent ?? serviceOf(facts.service) }
}

/** What an SDK says when nobody told it a name is no name of an agent. */
const serviceOf = (service: unknown): string | undefined =>
  typeof service === 'string' && !service.startsWith('unknown_service') ? service : undefined

function merge(before: Facts | undefined, next: Facts): Facts {
  if (before === undefined) return next
  const added = Object.fromEntries(
    Object.entries(next).filter(([key, value]) => value !== undefined && Reflect.get(before, key) === undefined),
  )
  return { ...before, ...added, kind: before.kind === 'other' ? next.kind : before.kind }
}
