import type { JsonObject } from '#lib/json.ts'
import type { Work } from './agents.ts'
import type { Chance } from './chance.ts'
import { type Program, programs } from './programs.ts'
import { amounts, type Fate, hoursToDecide, inputOf } from './work.ts'

export type Piece = { at: Date; work: Work; fate: Fate; input: JsonObject }
export type Seen = { at: Date; program: Program }
export type Plan = { pieces: Piece[]; traces: Seen[] }

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Traces of each unregistered program in the fortnight. */
const tracesOfEach = 14

/** A moment in working hours, mostly of a weekday, from `first` to `last`. */
function workingTime(first: number, last: number, chance: Chance): Date {
  for (;;) {
    const at = new Date(first + chance.next() * (last - first))
    const weekend = at.getUTCDay() % 6 === 0
    const working = at.getUTCHours() >= 6 && at.getUTCHours() < 18
    if (chance.next() < (working ? 1 : 0.04) * (weekend ? 0.15 : 1)) return at
  }
}

/**
 * What happens between `first` and `last`, in the order of time. `share` makes it smaller, from 1 down; at least one piece of
 * each fate stays.
 */
export function planOf(first: Date, last: Date, share: number, chance: Chance): Plan {
  const pieces: Piece[] = []
  const [begin, end] = [first.getTime(), last.getTime()]
  for (const [work, fates] of Object.entries(amounts) as [Work, (typeof amounts)[Work]][])
    for (const [fate, whole] of Object.entries(fates) as [Fate, number][])
      for (let nth = 0; nth < Math.max(1, Math.round(whole * share)); nth++) {
        const leastMs = hoursToDecide[work] * hourMs
        // What waits was asked for recently, what was decided long enough ago for a person to have decided it.
        const at =
          fate === 'pending'
            ? new Date(end - chance.next() * Math.min(leastMs * 0.7, 26 * hourMs))
            : workingTime(begin, end - (fate === 'expires' ? leastMs : 0) - hourMs / 4, chance)
        pieces.push({ at, work, fate, input: inputOf(work, fate, nth, chance) })
      }
  const traces = programs.flatMap((program) =>
    Array.from({ length: Math.max(2, Math.round(tracesOfEach * share)) }, () => ({
      // They were first seen some days after everything else began.
      at: workingTime(begin + 3 * dayMs, end, chance),
      program,
    })),
  )
  return { pieces, traces }
}

/** When a person decides what was asked for at `at`: soon in working hours, else in the morning, and in time. */
export function decidedAt(at: Date, work: Work, chance: Chance): Date {
  const mostMs = hoursToDecide[work] * hourMs * 0.6
  const wait = Math.min(
    mostMs,
    (3 + 90 * chance.next() ** 3) * 60_000 * (work === 'deployments' || work === 'letters' ? 1 : 2.5),
  )
  const soon = new Date(at.getTime() + wait)
  const hour = soon.getUTCHours()
  if (hour >= 6 && hour < 19) return soon
  const morning = new Date(soon)
  morning.setUTCHours(hour < 6 ? 6 : 30, chance.from(0, 59), 0, 0)
  return morning.getTime() - at.getTime() < mostMs ? morning : soon
}
