/** Of four slots, one tenant leaves one to others. */
const leftToOthers = 1 / 4

/** Limits how many jobs of one queue run at once in this process, however they came, and how many of them are one tenant's. */
export type SharedSlots = {
  /** Keeps a slot for a job whose tenant is not known yet; undefined if none is free. It must be used or given back. */
  hold(): Hold | undefined
  /** The tenants that have their share. */
  full(): string[]
  /** Keeps a slot for work of the tenant that may follow; undefined if none is free, or it has its share. It must be used or given back. */
  reserve(tenantId: string): Reservation | undefined
}

export type Hold = {
  run<T>(tenantId: string, work: () => Promise<T>): Promise<T>
  giveBack(): void
}

export type Reservation = {
  run<T>(work: () => Promise<T>): Promise<T>
  giveBack(): void
}

export function openSharedSlots(concurrency: number): SharedSlots {
  const share = concurrency - Math.floor(concurrency * leftToOthers)
  const counts = new Map<string, number>()
  let taken = 0
  const countOf = (tenantId: string) => counts.get(tenantId) ?? 0
  const count = (tenantId: string, change: 1 | -1) => {
    const now = countOf(tenantId) + change
    if (now === 0) counts.delete(tenantId)
    else counts.set(tenantId, now)
  }
  const isFree = () => taken < concurrency
  const giveBack = (tenantId: string) => {
    count(tenantId, -1)
    taken -= 1
  }
  const within = async <T>(tenantId: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } finally {
      giveBack(tenantId)
    }
  }
  return {
    hold() {
      if (!isFree()) return undefined
      taken += 1
      return {
        run(tenantId, work) {
          count(tenantId, 1)
          return within(tenantId, work)
        },
        giveBack() {
          taken -= 1
        },
      }
    },
    full: () => [...counts].filter(([, one]) => one >= share).map(([tenantId]) => tenantId),
    reserve(tenantId) {
      if (!isFree() || countOf(tenantId) >= share) return undefined
      taken += 1
      count(tenantId, 1)
      return { run: (work) => within(tenantId, work), giveBack: () => giveBack(tenantId) }
    },
  }
}
