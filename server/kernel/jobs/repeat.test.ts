import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { repeat } from './repeat.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const never = (error: unknown) => {
  throw error
}

test('runs at once, then at each interval, and not after it was closed', async () => {
  let runs = 0
  const repeated = repeat(async () => void runs++, 1000, never)
  expect(runs).toBe(1)
  await vi.advanceTimersByTimeAsync(2500)
  expect(runs).toBe(3)
  await repeated.close()
  repeated.begin()
  await vi.advanceTimersByTimeAsync(5000)
  expect(runs).toBe(3)
})

test('no run begins while another one is running, and closing waits for it', async () => {
  let runs = 0
  let { promise, resolve: end } = Promise.withResolvers<void>()
  const repeated = repeat(
    () => {
      runs++
      return promise
    },
    1000,
    never,
  )
  await vi.advanceTimersByTimeAsync(5000)
  repeated.begin()
  expect(runs).toBe(1)
  end()
  ;({ promise, resolve: end } = Promise.withResolvers<void>())
  await vi.advanceTimersByTimeAsync(1000)
  expect(runs).toBe(2)
  let closed = false
  const closing = repeated.close().then(() => {
    closed = true
  })
  await vi.advanceTimersByTimeAsync(1000)
  expect(closed).toBe(false)
  end()
  await closing
  expect(runs).toBe(2)
})

test('a run rests as long as it returns', async () => {
  let runs = 0
  const repeated = repeat(
    async () => {
      runs++
      return 2500
    },
    1000,
    never,
  )
  await vi.advanceTimersByTimeAsync(2400)
  repeated.begin()
  expect(runs).toBe(1)
  await vi.advanceTimersByTimeAsync(600)
  expect(runs).toBe(2)
  await repeated.close()
})

test('a run that fails is reported, and the next one begins', async () => {
  const failures: unknown[] = []
  let runs = 0
  const repeated = repeat(
    async () => {
      runs++
      if (runs === 1) throw new Error('no connection')
    },
    1000,
    (error) => failures.push(error),
  )
  await vi.advanceTimersByTimeAsync(1000)
  expect(failures).toEqual([new Error('no connection')])
  expect(runs).toBe(2)
  await repeated.close()
})

test('one that begins later waits for its first interval', async () => {
  let runs = 0
  const repeated = repeat(async () => void runs++, 1000, never, { later: true })
  await vi.advanceTimersByTimeAsync(999)
  expect(runs).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(runs).toBe(1)
  await repeated.close()
})
