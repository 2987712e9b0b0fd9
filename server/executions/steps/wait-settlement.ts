import type { JsonObject, JsonValue } from '#lib/json.ts'
import type { WaitGroup } from '#lib/rules/waits.ts'
import type { StepWait } from '#server/inputs/waits.ts'

/** How a step's waits stand together. `used`: the matched waits that the step consumes. */
export type Settlement =
  | { kind: 'pending' }
  | { kind: 'satisfied'; output: JsonValue; used: string[] }
  | { kind: 'expired' | 'canceled'; input: string }

/**
 * Pure. One input: its data. `any`: `{<input>: data}` of the first that came, and of
 * what was matched before the step went on. `all`: `{<input>: data, …}` of each. An input
 * that expired with `onExpiry: continue` counts as answered with its default, in `any` only when no other can come.
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
    // Whoever was promised a match is heard: what came before the step went on is taken with the first.
    if (matched.length > 0) return satisfied(matched.map(answer), matched)
    if (open) return { kind: 'pending' }
    return lapsed.length > 0 ? satisfied(lapsed.map(fallback), []) : failed(dead)
  }
  // One that can't come any more decides at once, whatever the others bring.
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
