import type { Query, QueryClient } from '@tanstack/react-query'
import { type Change, isTouched } from './matching.ts'

/** Changes within this period cause one reload, in milliseconds. */
const gatherMs = 100

type RoundsOptions = {
  cache: QueryClient
  /** Which queries these rounds reload. */
  mine: (query: Query) => boolean
  /** Whether a component relies on the subscription to this topic. */
  isWanted: (topic: Change['topic']) => boolean
  /** Least time between two reloads, in milliseconds. */
  roundMs: number
}

/** Reloads the queries that changes touch, round by round, so that no list is reloaded more often than every `roundMs`. */
export function createRounds({ cache, mine, isWanted, roundMs }: RoundsOptions) {
  const changed = new Map<string, Change>()
  let scheduled = false
  let reading = false
  let roundBegan = 0

  const schedule = () => {
    if (scheduled) return
    scheduled = true
    setTimeout(() => void read(), Math.max(gatherMs, roundBegan + roundMs - Date.now()))
  }

  /** Rounds run one after another: under constant change, a list is reloaded once its last response has arrived. */
  async function read(): Promise<void> {
    scheduled = false
    if (reading || changed.size === 0) return
    reading = true
    roundBegan = Date.now()
    const changes = [...changed.values()]
    changed.clear()
    const touching = (wanted: boolean) => ({
      predicate: (query: Query) =>
        mine(query) && changes.some((change) => isWanted(change.topic) === wanted && isTouched(query, change)),
    })
    // The first load of a query is not begun again by an invalidation, and its response may be older than the change.
    const loading = new Set(
      cache
        .getQueryCache()
        .findAll(touching(true))
        .filter(({ state }) => state.data === undefined && state.fetchStatus === 'fetching'),
    )
    // Still followed, but not shown by any component that relies on this subscription.
    await cache.invalidateQueries({ ...touching(false), refetchType: 'none' })
    await cache.invalidateQueries(touching(true))
    if (loading.size > 0) await cache.invalidateQueries({ predicate: (query) => loading.has(query) })
    reading = false
    if (changed.size > 0) schedule()
  }

  return {
    take(change: Change): void {
      changed.set(`${change.topic}/${change.id ?? ''}`, change)
      schedule()
    },
  }
}
