import type { Answers } from '#lib/trpc.ts'

export type SimulationPage = Answers['policies']['simulate']
export type Simulation = Pick<SimulationPage, 'evaluated' | 'notStored' | 'changed' | 'flips' | 'items' | 'nextCursor'>
type Flip = { before: SimulationPage['items'][number]['before']; after: SimulationPage['items'][number]['after'] }

const OPENNESS = { deny: 0, require_approval: 1, allow: 2 }

/** Sorts the changes that permit more first, as the server does within each page. */
const byOpening = (a: Flip, b: Flip): number =>
  OPENNESS[b.after] - OPENNESS[b.before] - (OPENNESS[a.after] - OPENNESS[a.before])

/** Returns the simulation so far with an older page added. */
export function mergeSimulation(before: Simulation | undefined, page: SimulationPage): Simulation {
  if (before === undefined) return page
  const flips = before.flips.map((flip) => ({ ...flip }))
  for (const flip of page.flips) {
    const same = flips.find((known) => known.before === flip.before && known.after === flip.after)
    if (same === undefined) flips.push({ ...flip })
    else same.count += flip.count
  }
  return {
    evaluated: before.evaluated + page.evaluated,
    // Earlier versions of the server do not count them.
    notStored: (before.notStored ?? 0) + (page.notStored ?? 0),
    changed: before.changed + page.changed,
    flips: flips.sort(byOpening),
    // Stable: within one kind of flip the newest stays first.
    items: [...before.items, ...page.items].sort(byOpening),
    nextCursor: page.nextCursor,
  }
}
