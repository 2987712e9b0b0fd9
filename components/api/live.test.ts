import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Client } from '#lib/trpc.ts'
import { createLive } from './live.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Handlers = { onData(message: { id: string; data: { type: 'heartbeat'; at: string } }): void }

/** A page that shows one execution, over a socket that says its first word when the test says so. */
function page() {
  const cache = new QueryClient()
  let reads = 0
  const observer = new QueryObserver(cache, {
    queryKey: [['executions', 'get'], { input: { id: 'e' }, type: 'query' }],
    queryFn: async () => ++reads,
    staleTime: Number.POSITIVE_INFINITY,
  })
  observer.subscribe(() => undefined)
  const followed: Handlers[] = []
  const subscribe = (_input: unknown, handlers: Handlers) => {
    followed.push(handlers)
    return { unsubscribe: () => undefined }
  }
  const live = createLive({ changes: { stream: { subscribe } } } as unknown as Client, cache)
  live.want(['executions'], 5000)
  const beat = () =>
    followed.at(-1)?.onData({ id: '2026-01-01.1.0', data: { type: 'heartbeat', at: '2026-01-01T00:00:00.000Z' } })
  return { reads: () => reads, beat }
}

test('a subscription that begins late reads again what the page read before the time that it covers', async () => {
  const { reads, beat } = page()
  await vi.advanceTimersByTimeAsync(15_000)
  expect(reads()).toBe(1)
  beat()
  await vi.advanceTimersByTimeAsync(1000)
  expect(reads()).toBe(2)
  beat()
  await vi.advanceTimersByTimeAsync(1000)
  expect(reads()).toBe(2)
})

test('a subscription that begins at once covers what the page has read', async () => {
  const { reads, beat } = page()
  await vi.advanceTimersByTimeAsync(500)
  beat()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(reads()).toBe(1)
})
