import { LRUCache } from 'lru-cache'

/** Keeps what was used last, up to a total weight; what makes room goes to `evicted`. The newest one always stays. */
export class Lru<V extends object | string> {
  private readonly cache: LRUCache<string, V>

  constructor(capacity: number, evicted: (value: V) => void = () => undefined) {
    this.cache = new LRUCache({ maxSize: capacity, dispose: evicted })
  }

  get(key: string): V | undefined {
    return this.cache.get(key)
  }

  /** `weight` is a whole number from 1. The library refuses a value heavier than the capacity: it counts as the capacity. */
  set(key: string, value: V, weight: number): void {
    this.cache.set(key, value, { size: Math.min(weight, this.cache.maxSize) })
  }
}
