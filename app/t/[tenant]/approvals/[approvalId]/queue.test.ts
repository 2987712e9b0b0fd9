import { expect, test } from 'vitest'
import { queueAround } from './queue.ts'

const list = ['a', 'b', 'c', 'd']

test('the second of four, and after it the second of three', () => {
  expect(queueAround('b', list, list)).toEqual({
    position: 2,
    total: 4,
    next: 'c',
    previous: 'a',
    afterDecision: { item: 'c', position: 2, total: 3 },
  })
})

test('what others decided meanwhile is left out, what came is put at the end', () => {
  expect(queueAround('b', list, ['new', 'a', 'd']).afterDecision).toEqual({ item: 'd', position: 2, total: 3 })
  expect(queueAround('b', list, ['new']).afterDecision).toEqual({ item: 'new', position: 1, total: 1 })
})

test('after the last one it goes on with the first that is left', () => {
  expect(queueAround('d', list, ['a', 'b', 'c'])).toMatchObject({
    next: undefined,
    afterDecision: { item: 'a', position: 1, total: 3 },
  })
})

test('nothing is left', () => {
  expect(queueAround('a', ['a'], []).afterDecision).toBeUndefined()
})

test('an item that is in no list leads to the first one', () => {
  expect(queueAround('x', list, list)).toMatchObject({
    position: undefined,
    next: 'a',
    previous: undefined,
    afterDecision: { item: 'a' },
  })
})
