import type { Answers } from '#lib/trpc.ts'

export type SimulationPage = Answers['policies']['simulate']
export type Simulation = Pick<SimulationPage, 'evaluated' | 'changed' | 'flips' | 'items' | 'nextCursor'>
type Flip = { before: SimulationPage['items'][number]['before']; after: SimulationPage['items'][number]['after'] }

const OPENNESS = { deny: 0, require_approval: 1, allow: 2 }

/** What would be let through stands first, as in each page of the server's. */
const byOpening = (a: Flip, b: Flip): number =>
  OPENNESS[b.after] - OPENNESS[b.before] - (OPENNESS[a.after] - OPENNESS[a.before])

/** Adds an older page to what was simulated so far. */
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
    changed: before.changed + page.changed,
    flips: flips.sort(byOpening),
    // Stable: within one kind of flip the newest stays first.
    items: [...before.items, ...page.items].sort(byOpening),
    nextCursor: page.nextCursor,
  }
}
