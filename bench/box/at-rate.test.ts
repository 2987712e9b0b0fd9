import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { atRate, quantile, together } from './at-rate.ts'

test('begins all calls whatever the answers take, and counts what was answered instead', async () => {
  let open = 0
  let most = 0
  const tally = await atRate(100, 0.5, async (index) => {
    open += 1
    most = Math.max(most, open)
    await delay(100)
    open -= 1
    return index % 10 === 0 ? '503' : undefined
  })
  expect(tally).toMatchObject({ calls: 50, refused: new Map([['503', 5]]) })
  expect(tally.times).toHaveLength(45)
  // Ten are due before the first one is answered.
  expect(most).toBeGreaterThan(5)
})

test('a call that is begun late counts from when it was due', async () => {
  const { times } = await atRate(100, 0.1, async () => {
    const until = performance.now() + 50
    while (performance.now() < until);
    return undefined
  })
  // Ten calls of 50 ms, due within 100 ms and done one after the other.
  expect(quantile(times, 1)).toBeGreaterThan(300)
})

test('quantiles and sums', () => {
  expect(quantile([5, 1, 4, 2, 3], 0.5)).toBe(3)
  expect(quantile([5, 1, 4, 2, 3], 1)).toBe(5)
  expect(quantile([], 0.99)).toBeNaN()
  const one = { calls: 2, refused: new Map([['a', 1]]), times: [1] }
  expect(
    together([
      one,
      {
        calls: 3,
        refused: new Map([
          ['a', 2],
          ['b', 1],
        ]),
        times: [2],
      },
    ]),
  ).toEqual({
    calls: 5,
    refused: new Map([
      ['a', 3],
      ['b', 1],
    ]),
    times: [1, 2],
  })
})
