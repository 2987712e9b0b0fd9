import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isCount } from './matching.ts'
import { createRounds } from './rounds.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A shown query that counts how often it is read. */
function shown(cache: QueryClient, path: readonly string[]) {
  let reads = 0
  const observer = new QueryObserver(cache, {
    queryKey: [path, { type: 'query' }],
    queryFn: async () => ++reads,
    staleTime: Number.POSITIVE_INFINITY,
  })
  observer.subscribe(() => undefined)
  return () => reads
}

test('under constant change, counts are read at most once a second and lists at most four times', async () => {
  const cache = new QueryClient()
  const [list, count] = [shown(cache, ['approvals', 'getPending']), shown(cache, ['home', 'now'])]
  const rounds = { cache, isWanted: () => true }
  const lists = createRounds({ ...rounds, mine: (query) => !isCount(query), roundMs: 250 })
  const counts = createRounds({ ...rounds, mine: isCount, roundMs: 1000 })
  await vi.advanceTimersByTimeAsync(10_000)
  expect([list(), count()]).toEqual([1, 1])
  for (let change = 0; change < 100; change++) {
    for (const one of [lists, counts]) one.take({ topic: 'approvals', id: `a${change}` })
    await vi.advanceTimersByTimeAsync(50)
  }
  // In five seconds, after the first reads.
  expect(count() - 1).toBeLessThanOrEqual(6)
  expect(count() - 1).toBeGreaterThanOrEqual(4)
  expect(list() - 1).toBeGreaterThanOrEqual(15)
  expect(list() - 1).toBeLessThanOrEqual(21)
})

test('a single change is read a tenth of a second later, and the last one is never missed', async () => {
  const cache = new QueryClient()
  const count = shown(cache, ['home', 'figures'])
  const counts = createRounds({ cache, isWanted: () => true, mine: isCount, roundMs: 1000 })
  await vi.advanceTimersByTimeAsync(10_000)
  counts.take({ topic: 'executions', id: 'e' })
  await vi.advanceTimersByTimeAsync(100)
  expect(count()).toBe(2)
  counts.take({ topic: 'executions', id: 'f' })
  await vi.advanceTimersByTimeAsync(500)
  expect(count()).toBe(2)
  await vi.advanceTimersByTimeAsync(500)
  expect(count()).toBe(3)
})

test('a change during the first load of a query reads it again, because the response may be older than the change', async () => {
  const cache = new QueryClient()
  const answers: ((text: string) => void)[] = []
  const observer = new QueryObserver(cache, {
    queryKey: [['executions', 'get'], { input: { id: 'e' }, type: 'query' }],
    queryFn: () => new Promise<string>((resolve) => answers.push(resolve)),
    staleTime: Number.POSITIVE_INFINITY,
  })
  observer.subscribe(() => undefined)
  const lists = createRounds({ cache, isWanted: () => true, mine: (query) => !isCount(query), roundMs: 250 })
  expect(answers).toHaveLength(1)
  lists.take({ topic: 'executions', id: 'e' })
  await vi.advanceTimersByTimeAsync(1000)
  expect(answers).toHaveLength(1)
  answers[0]?.('running')
  await vi.advanceTimersByTimeAsync(1000)
  expect(answers).toHaveLength(2)
  answers[1]?.('ended')
  await vi.advanceTimersByTimeAsync(1000)
  expect(observer.getCurrentResult()).toMatchObject({ data: 'ended', isFetching: false })
  expect(answers).toHaveLength(2)
})

/** A list whose pages arrive when the test says so, with the cursors that were asked for. */
async function pages(cache: QueryClient) {
  const asked: (string | null)[] = []
  const answers: (() => void)[] = []
  const observer = new InfiniteQueryObserver(cache, {
    queryKey: [['executions', 'list'], { input: {}, type: 'pages' }],
    queryFn: ({ pageParam }) => {
      asked.push(pageParam)
      return new Promise<string>((resolve) => answers.push(() => resolve(`after ${pageParam}`)))
    },
    initialPageParam: null as string | null,
    getNextPageParam: () => 'cursor',
    staleTime: Number.POSITIVE_INFINITY,
  })
  observer.subscribe(() => undefined)
  const answer = async () => {
    for (const one of answers.splice(0)) one()
    await vi.advanceTimersByTimeAsync(0)
  }
  await answer()
  return { asked, answer, observer }
}

test('a further page that someone asked for is not canceled by a change, which is read after it', async () => {
  const cache = new QueryClient()
  const { asked, answer, observer } = await pages(cache)
  const lists = createRounds({ cache, isWanted: () => true, mine: (query) => !isCount(query), roundMs: 250 })
  void observer.fetchNextPage()
  lists.take({ topic: 'executions', id: 'e' })
  await vi.advanceTimersByTimeAsync(1000)
  expect(asked).toEqual([null, 'cursor'])
  await answer()
  expect(observer.getCurrentResult().data?.pages).toEqual(['after null', 'after cursor'])
  expect(asked.slice(2)).toEqual([null])
})

test('a reload that a further page takes the place of follows it', async () => {
  const cache = new QueryClient()
  const { asked, answer, observer } = await pages(cache)
  const lists = createRounds({ cache, isWanted: () => true, mine: (query) => !isCount(query), roundMs: 250 })
  lists.take({ topic: 'executions', id: 'e' })
  await vi.advanceTimersByTimeAsync(100)
  expect(asked).toEqual([null, null])
  void observer.fetchNextPage()
  await vi.advanceTimersByTimeAsync(0)
  expect(asked).toEqual([null, null, 'cursor'])
  await answer()
  // Both pages, one after the other.
  await answer()
  await answer()
  expect(asked).toEqual([null, null, 'cursor', null, 'cursor'])
  expect(observer.getCurrentResult()).toMatchObject({ isFetching: false })
})
