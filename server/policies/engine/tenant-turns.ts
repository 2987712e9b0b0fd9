type Lane<T> = { together: T[] /** Served before the others, one at a time. */; alone: T[] }

/** The most pieces of one tenant in a batch while others wait too: they all wait for the whole batch. */
const mostWithOthers = 4

/**
 * What waits, by tenant. A batch takes one piece of each tenant in turns, so a tenant with much waiting delays mostly itself.
 */
export class TenantTurns<T> {
  /** In the order in which the tenants take turns. */
  readonly #lanes = new Map<string, Lane<T>>()

  add(tenantId: string, one: T): void {
    this.#laneOf(tenantId).together.push(one)
  }

  /** Adds pieces of a failed batch: each comes first among its tenant's, in a batch of its own. */
  addAlone(pieces: readonly (readonly [tenantId: string, one: T])[]): void {
    for (const [tenantId, one] of pieces) this.#laneOf(tenantId).alone.push(one)
  }

  /** The next batch of up to `most` pieces; empty if nothing waits. */
  next(most: number): T[] {
    const batch: T[] = []
    const taken = new Map<string, number>()
    const share = this.#lanes.size === 1 ? most : mostWithOthers
    while (batch.length < most) {
      const [first] = this.#lanes
      if (first === undefined) break
      const [tenantId, lane] = first
      // What has to be alone starts the next batch.
      if (lane.alone.length > 0 && batch.length > 0) break
      const before = taken.get(tenantId) ?? 0
      if (before === share) break
      taken.set(tenantId, before + 1)
      const single = lane.alone.shift()
      const one = single ?? lane.together.shift()
      // To the end of the order.
      this.#lanes.delete(tenantId)
      if (lane.alone.length + lane.together.length > 0) this.#lanes.set(tenantId, lane)
      if (one !== undefined) batch.push(one)
      if (single !== undefined) break
    }
    return batch
  }

  #laneOf(tenantId: string): Lane<T> {
    const lane = this.#lanes.get(tenantId) ?? { together: [], alone: [] }
    this.#lanes.set(tenantId, lane)
    return lane
  }
}
