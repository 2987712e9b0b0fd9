import { expect, test } from 'vitest'
import { queueAround } from './queue.ts'

const list = ['a', 'b', 'c', 'd']

test('the second item of four is followed by the second of the remaining three', () => {
  expect(queueAround('b', list, list)).toEqual({
    position: 2,
    total: 4,
    next: 'c',
    previous: 'a',
    afterDecision: { item: 'c', position: 2, total: 3 },
  })
})

test('requests that others decided are left out, and new ones are put at the end', () => {
  expect(queueAround('b', list, ['new', 'a', 'd']).afterDecision).toEqual({ item: 'd', position: 2, total: 3 })
  expect(queueAround('b', list, ['new']).afterDecision).toEqual({ item: 'new', position: 1, total: 1 })
})

test('after the last item comes the first of the remaining ones', () => {
  expect(queueAround('d', list, ['a', 'b', 'c'])).toMatchObject({
    next: undefined,
    afterDecision: { item: 'a', position: 1, total: 3 },
  })
})

test('after the only item, no next one is offered', () => {
  expect(queueAround('a', ['a'], []).afterDecision).toBeUndefined()
})

test('an item that is not in the list leads to the first one', () => {
  expect(queueAround('x', list, list)).toMatchObject({
    position: undefined,
    next: 'a',
    previous: undefined,
    afterDecision: { item: 'a' },
  })
})
