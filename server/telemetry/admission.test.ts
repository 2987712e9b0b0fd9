import { afterEach, expect, test } from 'vitest'
import { enter, type Place, standing } from './admission.ts'

// Excess telemetry is refused immediately and not stored: the memory of the process is limited for any load.

const mebibyte = 1024 * 1024
const places: Place[] = []
const come = (bytes: number): Place => {
  const place = enter(bytes)
  places.push(place)
  return place
}
afterEach(() => {
  for (const place of places.splice(0)) place.leave()
  expect(standing()).toEqual({ held: 0, running: 0, runningBytes: 0, waiting: 0 })
})

const refusal = expect.objectContaining({ code: 'rate_limited' })
const attempts = (count: number, bytes: number) =>
  Array.from({ length: count }, () => {
    try {
      return come(bytes)
    } catch (error) {
      return error
    }
  })

test('most of ten times the allowed bytes are refused, and the limit is never exceeded', () => {
  const answers = attempts(480, mebibyte)
  expect(standing().held).toBe(32 * mebibyte)
  expect(answers.slice(32)).toEqual(Array(448).fill(refusal))
  // As soon as one request leaves, another is admitted.
  places.shift()?.leave()
  expect(attempts(2, mebibyte)).toEqual([expect.objectContaining({}), refusal])
  expect(standing().held).toBe(32 * mebibyte)
})

test('a body that decompresses to more than announced counts with its real size or is refused', () => {
  const small = come(1024)
  small.grow(24 * mebibyte)
  expect(standing().held).toBe(24 * mebibyte)
  const other = come(1024)
  expect(() => other.grow(16 * mebibyte)).toThrow(refusal)
  expect(standing().held).toBe(24 * mebibyte + 1024)
})

test('few requests, and even fewer large ones, are processed concurrently; the others follow in order', async () => {
  const order: number[] = []
  const all = Array.from({ length: 6 }, () => come(100 * 1024))
  const turns = all.map((place, index) => place.turn().then(() => order.push(index)))
  await Promise.all(turns.slice(0, 4))
  expect(standing()).toMatchObject({ running: 4, waiting: 2 })
  all[1]?.leave()
  await turns[4]
  expect(order).toEqual([0, 1, 2, 3, 4])
  expect(standing()).toMatchObject({ running: 4, waiting: 1 })
  for (const place of all) place.leave()

  const [large, next] = [come(16 * mebibyte), come(16 * mebibyte)]
  await large.turn()
  const second = next.turn()
  expect(standing()).toMatchObject({ running: 1, waiting: 1 })
  large.leave()
  await second
  expect(standing()).toMatchObject({ running: 1, waiting: 0 })
})

test('a full queue refuses the next request before reading its body, and each departure admits at most one', async () => {
  const waiting = Array.from({ length: 68 }, () => come(1024))
  // Requests whose bodies are still arriving count as well.
  expect(() => come(1024)).toThrow(refusal)
  const turns = waiting.map((place) => place.turn())
  expect(standing()).toMatchObject({ running: 4, waiting: 64 })
  expect(() => come(1024)).toThrow(refusal)
  // It leaves before its turn, so it is not started and does not occupy a place.
  waiting[4]?.leave()
  waiting[0]?.leave()
  await turns[5]
  expect(standing()).toMatchObject({ running: 4, waiting: 62 })
})
