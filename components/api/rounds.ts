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
    const queries = cache.getQueryCache().findAll(touching(true))
    const busy = queries.filter(isBusy)
    // Still followed, but not shown by any component that relies on this subscription.
    await cache.invalidateQueries({ ...touching(false), refetchType: 'none' })
    // A slow one does not hold up the others.
    void Promise.allSettled(busy.map(({ promise }) => promise)).then(() => reload(busy))
    await reload(queries.filter((query) => !busy.includes(query)))
    reading = false
    if (changed.size > 0) schedule()
  }

  /** A further page that someone asks for takes the place of a reload, which then follows it. */
  async function reload(queries: readonly Query[]): Promise<void> {
    for (let left = new Set(queries); left.size > 0; ) {
      const metas = new Map(queries.map((query) => [query, query.state.fetchMeta]))
      await cache.invalidateQueries({ predicate: (query) => left.has(query) })
      left = new Set(
        [...left].filter(
          (query) => query.state.fetchMeta?.fetchMore !== undefined && query.state.fetchMeta !== metas.get(query),
        ),
      )
    }
  }

  return {
    take(change: Change): void {
      changed.set(`${change.topic}/${change.id ?? ''}`, change)
      schedule()
    },
  }
}

/**
 * The first load of a query is not begun again by an invalidation, and its response may be older than the change. A further page
 * would be canceled, and the click that asked for it lost.
 */
const isBusy = ({ state: { data, fetchStatus, fetchMeta } }: Query): boolean =>
  fetchStatus === 'fetching' && (data === undefined || fetchMeta?.fetchMore !== undefined)
