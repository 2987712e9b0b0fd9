import { durationSeconds } from '#lib/duration.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'

/** The inputs that a wait step waits for: one, the first of several, or all of them. */
export type WaitGroup = { mode: 'one' | 'any' | 'all'; inputs: string[] }

const longestTtlSeconds = 365 * 86_400
const mostInGroup = 20

/** The group of a step's `wait`: `{input}`, `{any: […]}` or `{all: […]}`. Undefined for anything else. */
export function waitGroup(wait: JsonValue | undefined): WaitGroup | undefined {
  if (!isJsonObject(wait)) return undefined
  const forms = (['input', 'any', 'all'] as const).filter((form) => wait[form] !== undefined)
  const [form] = forms
  if (form === undefined || forms.length > 1) return undefined
  if (form === 'input') return typeof wait.input === 'string' ? { mode: 'one', inputs: [wait.input] } : undefined
  const inputs = wait[form]
  if (!Array.isArray(inputs) || !inputs.every((name) => typeof name === 'string')) return undefined
  return inputs.length > 0 && inputs.length <= mostInGroup ? { mode: form, inputs } : undefined
}

/** A flaw in a manifest's waits: its path (keys and indices from `spec`) and a message. */
export type WaitFlaw = { path: (string | number)[]; message: string }

/** All flaws that would prevent a manifest's wait steps and `inputs` from working; checked before any schema. */
export function waitFlaws(spec: JsonValue | undefined): WaitFlaw[] {
  if (!isJsonObject(spec)) return []
  const flaws = inputFlaws(spec.inputs)
  const declared = new Set(namesOf(spec.inputs))
  const waitedFor = new Map<string, string>()
  const steps = isJsonObject(spec.runtime) ? spec.runtime.steps : undefined
  for (const [index, step] of (Array.isArray(steps) ? steps : []).entries()) {
    if (!isJsonObject(step) || step.wait === undefined) continue
    const path = ['runtime', 'steps', index, 'wait']
    const group = waitGroup(step.wait)
    if (group === undefined) {
      const message = `A wait must be {input: <name>}, {any: [<names>]} or {all: [<names>]}, with at most ${mostInGroup} inputs.`
      flaws.push({ path, message })
      continue
    }
    for (const [at, name] of group.inputs.entries()) {
      const where = group.mode === 'one' ? [...path, 'input'] : [...path, group.mode, at]
      const before = waitedFor.get(name)
      if (!declared.has(name)) flaws.push({ path: where, message: `The input ${name} is not declared in spec.inputs.` })
      // An event names an execution and an input, so with two waits for one input it would be ambiguous.
      else if (before !== undefined)
        flaws.push({
          path: where,
          message: `The step ${before} already waits for ${name}. Declare a second input for this step.`,
        })
      waitedFor.set(name, String(step.id ?? index))
    }
  }
  return flaws
}

const namesOf = (inputs: JsonValue | undefined): string[] =>
  (Array.isArray(inputs) ? inputs : []).flatMap((input) =>
    isJsonObject(input) && typeof input.name === 'string' ? [input.name] : [],
  )

function inputFlaws(inputs: JsonValue | undefined): WaitFlaw[] {
  if (inputs === undefined) return []
  if (!Array.isArray(inputs)) return [{ path: ['inputs'], message: 'inputs must be a list.' }]
  const seen = new Set<string>()
  return inputs.flatMap((input, index) => {
    const path = ['inputs', index]
    if (!isJsonObject(input) || typeof input.name !== 'string' || input.name === '' || input.name.length > 200)
      return [{ path, message: 'An input needs a name of up to 200 characters.' }]
    const twice = seen.has(input.name)
    seen.add(input.name)
    return [
      ...(twice ? [{ path: [...path, 'name'], message: `The input ${input.name} is declared twice.` }] : []),
      ...memberFlaws(input, path),
    ]
  })
}

function memberFlaws({ ttl, onExpiry, default: fallback }: JsonObject, path: (string | number)[]): WaitFlaw[] {
  const flaws: WaitFlaw[] = []
  const seconds = typeof ttl === 'string' ? durationSeconds(ttl) : undefined
  if (ttl !== undefined && (seconds === undefined || seconds === 0 || seconds > longestTtlSeconds))
    flaws.push({ path: [...path, 'ttl'], message: 'ttl must be an ISO 8601 duration such as P3D, at most 365 days.' })
  if (onExpiry !== undefined && onExpiry !== 'fail' && onExpiry !== 'continue')
    flaws.push({ path: [...path, 'onExpiry'], message: 'onExpiry must be fail or continue.' })
  if (fallback !== undefined && onExpiry !== 'continue')
    flaws.push({
      path: [...path, 'default'],
      message: 'default can only be used with onExpiry: continue.',
    })
  return flaws
}
