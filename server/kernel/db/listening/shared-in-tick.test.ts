import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sharedInTick } from './shared-in-tick.ts'

function counted() {
  let runs = 0
  return async () => {
    runs += 1
    return runs
  }
}

test('those who ask for the same key in one turn share a run', async () => {
  const work = counted()
  const later = async () => {
    await undefined
    return await sharedInTick('a', work)
  }
  expect(await Promise.all([sharedInTick('a', work), sharedInTick('a', work), later(), later()])).toEqual([1, 1, 1, 1])
})

test('a run that has begun is not shared: what happened before a call is in its answer', async () => {
  let now = 'before'
  const gate = Promise.withResolvers<void>()
  const read = async () => {
    const seen = now
    await gate.promise
    return seen
  }
  const first = sharedInTick('b', read)
  await nextTurn()
  now = 'after'
  const second = sharedInTick('b', read)
  await nextTurn()
  gate.resolve()
  expect(await Promise.all([first, second])).toEqual(['before', 'after'])
})

test('other keys have runs of their own, and a failed run fails for all who share it, once', async () => {
  const work = counted()
  expect(await Promise.all([sharedInTick('c', work), sharedInTick('d', work)])).toEqual([1, 2])
  const fail = () => Promise.reject(new Error('lost'))
  const results = await Promise.allSettled([sharedInTick('e', fail), sharedInTick('e', fail)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await sharedInTick('e', work)).toBe(3)
})
