import { expect, test } from 'vitest'
import { TenantTurns } from './tenant-turns.ts'

/** Pieces are named after their tenant: 'a1' waits for tenant a. */
function turnsWith(...names: string[]): TenantTurns<string> {
  const turns = new TenantTurns<string>()
  for (const name of names) turns.add(name.charAt(0), name)
  return turns
}
const batches = (turns: TenantTurns<string>, most: number) => {
  const all: string[][] = []
  for (let batch = turns.next(most); batch.length > 0; batch = turns.next(most)) all.push(batch)
  return all
}

test('a batch takes one piece of each tenant in turns, however much one of them has waiting', () => {
  expect(batches(turnsWith('a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1'), 4)).toEqual([
    ['a1', 'b1', 'c1', 'a2'],
    ['a3', 'a4', 'a5'],
  ])
})

test('while others wait, a tenant has at most four pieces in a batch; alone it fills the batch', () => {
  const many = Array.from({ length: 8 }, (_, index) => `a${index}`)
  expect(batches(turnsWith(...many, 'b1'), 32)).toEqual([
    ['a0', 'b1', 'a1', 'a2', 'a3'],
    ['a4', 'a5', 'a6', 'a7'],
  ])
  expect(batches(turnsWith(...many), 32)).toEqual([many])
})

test('a tenant that took the last place of a batch comes last in the next', () => {
  const turns = turnsWith('a1', 'a2', 'b1', 'b2')
  expect(turns.next(1)).toEqual(['a1'])
  turns.add('c', 'c1')
  expect(batches(turns, 1)).toEqual([['b1'], ['a2'], ['c1'], ['b2']])
})

test('pieces of a failed batch are retried alone and in turns, and what arrived later does not wait for all of them', () => {
  const turns = turnsWith('a1', 'a2', 'a3', 'b1')
  const failed = turns.next(4)
  turns.add('c', 'c1')
  turns.add('c', 'c2')
  turns.addAlone(failed.map((one) => [one.charAt(0), one]))
  expect(batches(turns, 4)).toEqual([['c1'], ['a1'], ['b1'], ['c2'], ['a2'], ['a3']])
})

test('returns nothing when nothing waits', () => {
  expect(new TenantTurns<string>().next(4)).toEqual([])
})
