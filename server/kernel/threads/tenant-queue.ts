import { ApiError } from '#lib/errors.ts'

type Waiting = { start(): void }

/**
 * Work that only a few can do concurrently. Tenants take turns, so that one that sends much waits for itself: it has one piece
 * of work running while others wait, and a few waiting.
 */
export class TenantQueue {
  readonly #atOnce: number
  readonly #perTenant: number
  readonly #running = new Map<string, number>()
  /** In the order in which the tenants take turns. */
  readonly #waiting = new Map<string, Waiting[]>()
  #total = 0

  constructor({ atOnce, perTenant }: { atOnce: number; perTenant: number }) {
    this.#atOnce = atOnce
    this.#perTenant = perTenant
  }

  /** Throws 429 when too much of the tenant's work is waiting. */
  async run<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    if (this.#total < this.#atOnce) this.#begin(tenantId)
    else await this.#turn(tenantId)
    try {
      return await work()
    } finally {
      this.#end(tenantId)
    }
  }

  #turn(tenantId: string): Promise<void> {
    const mine = this.#waiting.get(tenantId) ?? []
    if (mine.length >= this.#perTenant)
      throw new ApiError('rate_limited', 'Too many of these requests are waiting. Try again in a second.')
    this.#waiting.set(tenantId, mine)
    return new Promise((resolve) => {
      mine.push({
        start: () => {
          this.#begin(tenantId)
          resolve()
        },
      })
    })
  }

  #begin(tenantId: string): void {
    this.#total += 1
    this.#running.set(tenantId, (this.#running.get(tenantId) ?? 0) + 1)
  }

  #end(tenantId: string): void {
    this.#total -= 1
    const left = (this.#running.get(tenantId) ?? 1) - 1
    if (left === 0) this.#running.delete(tenantId)
    else this.#running.set(tenantId, left)
    const next = this.#nextTenant()
    if (next === undefined) return
    const [tenant, waiting] = next
    const first = waiting.shift()
    // To the end of the order.
    this.#waiting.delete(tenant)
    if (waiting.length > 0) this.#waiting.set(tenant, waiting)
    first?.start()
  }

  /** The next tenant without running work, else the next one. */
  #nextTenant(): [tenantId: string, waiting: Waiting[]] | undefined {
    const all = [...this.#waiting]
    return all.find(([tenantId]) => !this.#running.has(tenantId)) ?? all[0]
  }
}
