/** Keeps what was used last, up to a total weight; what makes room goes to `evicted`. The newest one always stays. */
export class Lru<V> {
  private readonly entries = new Map<string, { value: V; weight: number }>()
  private readonly capacity: number
  private readonly evicted: (value: V) => void
  private total = 0

  constructor(capacity: number, evicted: (value: V) => void = () => undefined) {
    this.capacity = capacity
    this.evicted = evicted
  }

  get(key: string): V | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    this.entries.delete(key)
    this.entries.set(key, entry)
    return entry.value
  }

  set(key: string, value: V, weight: number): void {
    this.remove(key)
    this.entries.set(key, { value, weight })
    this.total += weight
    while (this.total > this.capacity && this.entries.size > 1) {
      const [oldest] = this.entries.keys()
      if (oldest === undefined) return
      this.remove(oldest)
    }
  }

  private remove(key: string): void {
    const entry = this.entries.get(key)
    if (entry === undefined) return
    this.entries.delete(key)
    this.total -= entry.weight
    this.evicted(entry.value)
  }
}
