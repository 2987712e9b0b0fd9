import { LRUCache } from 'lru-cache'

/** Keeps the most recently used values up to a total weight and passes evicted ones to `evicted`. The newest always stays. */
export class Lru<V extends object | string> {
  private readonly cache: LRUCache<string, V>

  constructor(capacity: number, evicted: (value: V) => void = () => undefined) {
    this.cache = new LRUCache({ maxSize: capacity, dispose: evicted })
  }

  get(key: string): V | undefined {
    return this.cache.get(key)
  }

  /** `weight` is a whole number from 1. A value heavier than the capacity counts as the capacity, since the library would reject it. */
  set(key: string, value: V, weight: number): void {
    this.cache.set(key, value, { size: Math.min(weight, this.cache.maxSize) })
  }
}
