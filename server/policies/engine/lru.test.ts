import { expect, test } from 'vitest'
import { Lru } from './lru.ts'

test('evicts the least recently used values by weight', () => {
  const evicted: string[] = []
  const lru = new Lru<string>(10, (value) => evicted.push(value))
  lru.set('a', 'A', 4)
  lru.set('b', 'B', 4)
  expect(lru.get('a')).toBe('A')
  lru.set('c', 'C', 6)
  expect(evicted).toEqual(['B'])
  expect([lru.get('a'), lru.get('b'), lru.get('c')]).toEqual(['A', undefined, 'C'])
})

test('passes a replaced value to `evicted`', () => {
  const evicted: string[] = []
  const lru = new Lru<string>(10, (value) => evicted.push(value))
  lru.set('a', 'A', 1)
  lru.set('a', 'B', 1)
  expect([evicted, lru.get('a')]).toEqual([['A'], 'B'])
})

test('keeps a value heavier than the capacity until the next one is added', () => {
  const evicted: string[] = []
  const lru = new Lru<string>(10, (value) => evicted.push(value))
  lru.set('a', 'A', 1)
  lru.set('huge', 'H', 11)
  expect([evicted, lru.get('huge')]).toEqual([['A'], 'H'])
  lru.set('b', 'B', 1)
  expect([evicted, lru.get('huge'), lru.get('b')]).toEqual([['A', 'H'], undefined, 'B'])
})
