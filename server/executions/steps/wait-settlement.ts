import type { JsonObject, JsonValue } from '#lib/json.ts'
import type { WaitGroup } from '#lib/rules/waits.ts'
import type { StepWait } from '#server/inputs/waits.ts'

/** The combined state of a step's waits. `used`: the matched waits that the step consumes. */
export type Settlement =
  | { kind: 'pending' }
  | { kind: 'satisfied'; output: JsonValue; used: string[] }
  | { kind: 'expired' | 'canceled'; input: string }

/**
 * Pure. The output is, for one input, its data; for `any`, `{<input>: data}` of the first input and any others matched before
 * the step continued; for `all`, `{<input>: data, …}` of every input. An input that expired with `onExpiry: continue` counts as
 * answered with its default; in `any` only when no other input can still arrive.
 */
export function settle(
  group: WaitGroup,
  waits: readonly StepWait[],
  defaults: ReadonlyMap<string, JsonValue>,
): Settlement {
  const matched = waits.filter((wait) => wait.status === 'matched')
  const lapsed = waits.filter((wait) => wait.status === 'expired' && wait.onExpiry === 'continue')
  const dead = waits.filter((wait) => isDead(wait))
  const open = waits.some((wait) => wait.status === 'open')
  const fallback = (wait: StepWait): [string, JsonValue] => [wait.input, defaults.get(wait.input) ?? null]
  const answer = (wait: StepWait): [string, JsonValue] => [wait.input, wait.data]
  const satisfied = (entries: [string, JsonValue][], used: readonly StepWait[]): Settlement => {
    const output: JsonObject = Object.fromEntries(entries)
    return {
      kind: 'satisfied',
      output: group.mode === 'one' ? (entries[0]?.[1] ?? null) : output,
      used: used.map((wait) => wait.id),
    }
  }
  if (group.mode === 'any') {
    // Every sender whose event was matched counts: inputs received before the step continued are consumed with the first.
    if (matched.length > 0) return satisfied(matched.map(answer), matched)
    if (open) return { kind: 'pending' }
    return lapsed.length > 0 ? satisfied(lapsed.map(fallback), []) : failed(dead)
  }
  // An input that can no longer arrive fails the step immediately, whatever the others contain.
  if (dead.length > 0) return failed(dead)
  if (open) return { kind: 'pending' }
  return satisfied([...matched.map(answer), ...lapsed.map(fallback)], matched)
}

const isDead = ({ status, onExpiry }: StepWait) =>
  status === 'canceled' || status === 'superseded' || (status === 'expired' && onExpiry === 'fail')

function failed(dead: readonly StepWait[]): Settlement {
  const [cause] = dead
  return { kind: dead.some((wait) => wait.status === 'canceled') ? 'canceled' : 'expired', input: cause?.input ?? '' }
}
