import type { JsonValue } from '#lib/json.ts'
import { stringFinder } from '../find-strings.ts'
import { erasedText } from './erased.ts'
import type { Masked } from './masked.ts'

/** A path of a manifest's `data.sensitive`: `$.customer.email`, `$.items[*].iban`, and the class of the values there. */
export type SensitivePath = { path: string; class: string }

const marker = (value: JsonValue, className: string): Masked => ({
  $masked: { class: className, length: (typeof value === 'string' ? value : JSON.stringify(value)).length },
})

/** The steps of a path: member names, or '*' for every element. Undefined for any other form of path. */
export function parsePath(path: string): string[] | undefined {
  if (!/^\$(\.[A-Za-z_][\w-]*|\[\*\])+$/.test(path)) return undefined
  return [...path.matchAll(/\.([A-Za-z_][\w-]*)|\[(\*)\]/g)].map((match) => match[1] ?? '*')
}

/** The strings at sensitive paths of `value`, which are masked wherever else they occur. */
export function sensitiveStrings(value: JsonValue, paths: readonly SensitivePath[]): Map<string, string> {
  const found = new Map<string, string>()
  const collect = (at: JsonValue | undefined, className: string): void => {
    // Masking every occurrence of a single character would hide half of the page, and the character reveals nothing.
    if (typeof at === 'string' && at.length > 2 && at !== erasedText) found.set(at, className)
    else if (typeof at === 'object' && at !== null) for (const inner of Object.values(at)) collect(inner, className)
  }
  const walk = (at: JsonValue | undefined, steps: readonly string[], className: string): void => {
    const [step, ...rest] = steps
    if (step === undefined) collect(at, className)
    else if (typeof at !== 'object' || at === null) return
    else if (step === '*') for (const inner of Object.values(at)) walk(inner, rest, className)
    else if (!Array.isArray(at) && Object.hasOwn(at, step)) walk(at[step], rest, className)
  }
  for (const { path, class: className } of paths) walk(value, parsePath(path) ?? [], className)
  return found
}

type Finder = (text: string) => string | undefined

const finderOf = (strings: ReadonlyMap<string, string>): Finder => {
  const texts = [...strings.keys()]
  const find = stringFinder(texts)
  return (text) => texts[find(text)]
}

/**
 * A copy of `value` in which everything at a sensitive path, and every string that contains one of `known`, is replaced by
 * its class and length. Mask a value once: the markers of a masked one would be taken for names that someone sent.
 */
export const maskValue = (
  value: JsonValue,
  paths: readonly SensitivePath[],
  known: ReadonlyMap<string, string> = new Map(),
): JsonValue => maskerWith(paths, known)(value)

/** As maskValue, for several values: `known` is prepared once, which takes time in proportion to its length. */
export function maskerWith(
  paths: readonly SensitivePath[],
  known: ReadonlyMap<string, string>,
): (value: JsonValue) => JsonValue {
  const parsed = paths
    .map((entry) => ({ steps: parsePath(entry.path) ?? [], class: entry.class }))
    .filter((entry) => entry.steps.length > 0)
  const findKnown = finderOf(known)
  return (value) => {
    const own = sensitiveStrings(value, paths)
    const findOwn = finderOf(own)
    return walk(value, parsed, (text) => {
      const found = findKnown(text) ?? findOwn(text)
      return found === undefined ? undefined : (own.get(found) ?? known.get(found))
    })
  }
}

/**
 * Anyone can send an object that looks like the marker of a masked value. Its name gets a `$` more, as do those that have some
 * already, so that `$masked` is always ours, and the name that was sent is known.
 */
export const escapedName = (name: string): string => (/^\$+masked$/.test(name) ? `$${name}` : name)

type Active = readonly { steps: readonly string[]; class: string }[]

function walk(at: JsonValue, active: Active, classIn: Finder): JsonValue {
  const ended = active.find((entry) => entry.steps.length === 0)
  if (ended !== undefined) return at === erasedText ? at : marker(at, ended.class)
  if (typeof at === 'string') {
    const className = classIn(at)
    return className === undefined ? at : marker(at, className)
  }
  if (typeof at !== 'object' || at === null) return at
  const next = (key: string): Active =>
    active.flatMap((entry) =>
      entry.steps[0] === key || entry.steps[0] === '*' ? [{ steps: entry.steps.slice(1), class: entry.class }] : [],
    )
  if (Array.isArray(at)) return at.map((inner) => walk(inner, next('*'), classIn))
  const entries = Object.entries(at).map(([key, inner]): [string, JsonValue] => [
    escapedName(key),
    walk(inner, next(key), classIn),
  ])
  // fromEntries defines own properties, so a key such as __proto__ stays a key.
  return Object.fromEntries(entries)
}
