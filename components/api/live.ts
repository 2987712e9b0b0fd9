import type { QueryClient } from '@tanstack/react-query'
import type { Topic } from '#lib/rules/changes.ts'
import type { Client } from '#lib/trpc.ts'
import { type Change, isCount, isTouched } from './matching.ts'
import { createRounds } from './rounds.ts'

/** Least time between two reloads of a list, and of what is counted over everything, in milliseconds. */
const roundMs = 250
const countMs = 1000
/** Delay before subscribing, because the components of a page mount one after another. */
const settleMs = 50
/** Delay after a refusal (the session is over, a permission was lost), in milliseconds. */
const againMs = 5_000
const tickMs = 500
/** A new subscription begins ten seconds in the past; what a page read earlier than this may have changed before. */
const coveredMs = 8_000
/** In milliseconds. The client abandons a socket that opens and closes immediately; a new subscription makes it try again. */
const retryMs = 10_000

type Want = { topics: readonly Topic[]; pollMs: number }

/**
 * One subscription of the page to the topics that its components show. A change invalidates the queries that show it; while
 * the socket is down each topic is polled as often as its component asks for.
 */
export type Live = {
  /** Follows topics until the returned function is called. */
  want(topics: readonly Topic[], pollMs: number): () => void
  subscribe(listener: () => void): () => void
  /** False while the socket is down. */
  isUp(): boolean
}

export function createLive(client: Client, cache: QueryClient): Live {
  const wants = new Set<Want>()
  const listeners = new Set<() => void>()
  const readAt = new Map<Topic, number>()
  let followed: ReadonlySet<Topic> = new Set()
  let lastEventId: string | undefined
  let unsubscribe: (() => void) | undefined
  let up = true
  let settling: ReturnType<typeof setTimeout> | undefined
  let ticking: ReturnType<typeof setInterval> | undefined
  let followedAt = 0

  const setUp = (now: boolean) => {
    if (up === now) return
    up = now
    clearInterval(ticking)
    ticking = now ? undefined : setInterval(poll, tickMs)
    for (const listener of listeners) listener()
  }

  const isWanted = (topic: Change['topic']) => [...wants].some((want) => want.topics.some((one) => one === topic))
  const lists = createRounds({ cache, isWanted, mine: (query) => !isCount(query), roundMs })
  const counts = createRounds({ cache, isWanted, mine: isCount, roundMs: countMs })
  const take = (change: Change) => {
    lists.take(change)
    counts.take(change)
  }

  function poll(): void {
    const now = Date.now()
    if (unsubscribe !== undefined && now - followedAt > retryMs) followAgain()
    const intervals = new Map<Topic, number>()
    for (const { topics, pollMs } of wants)
      for (const topic of topics) intervals.set(topic, Math.min(pollMs, intervals.get(topic) ?? pollMs))
    for (const [topic, pollMs] of intervals) {
      const since = readAt.get(topic) ?? 0
      if (now - since < pollMs || document.visibilityState === 'hidden') continue
      readAt.set(topic, now)
      take({ topic, id: null })
    }
  }

  function follow(): void {
    settling = undefined
    const topics = new Set([...wants].flatMap((want) => want.topics))
    // Topics that are no longer shown stay followed until the next subscription, which does no harm.
    if (topics.size > 0 && unsubscribe !== undefined && [...topics].every((topic) => followed.has(topic))) return
    const left = [...followed].filter((topic) => !topics.has(topic))
    unsubscribe?.()
    unsubscribe = undefined
    followed = topics
    followedAt = Date.now()
    // Changes of these topics no longer arrive, so their cached queries are reloaded when they are shown again.
    if (left.length > 0)
      void cache.invalidateQueries({
        predicate: (query) => left.some((topic) => isTouched(query, { topic, id: null })),
        refetchType: 'none',
      })
    if (topics.size === 0) return
    let isCovered = lastEventId !== undefined
    const subscription = client.changes.stream.subscribe(
      { topics: [...topics] as [Topic, ...Topic[]], ...(lastEventId === undefined ? {} : { lastEventId }) },
      {
        onData({ id, data }) {
          lastEventId = id
          setUp(true)
          if (data.type === 'change') take(data)
          if (isCovered) return
          isCovered = true
          const reached = Date.now() - coveredMs
          for (const topic of topics) if ((readAt.get(topic) ?? 0) < reached) take({ topic, id: null })
        },
        onConnectionStateChange({ state, error }) {
          if (state === 'connecting' && error !== null) setUp(false)
        },
        onError: again,
        onComplete: again,
      },
    )
    unsubscribe = () => subscription.unsubscribe()
  }

  function followAgain(): void {
    unsubscribe?.()
    unsubscribe = undefined
    follow()
  }

  /** The server ended the subscription; an unknown lastEventId or a lost permission must not end it for good. */
  function again(): void {
    unsubscribe = undefined
    lastEventId = undefined
    followed = new Set()
    setUp(false)
    for (const topic of new Set([...wants].flatMap((want) => want.topics))) take({ topic, id: null })
    clearTimeout(settling)
    settling = setTimeout(follow, againMs)
  }

  const settle = () => {
    settling ??= setTimeout(follow, settleMs)
  }

  return {
    want(topics, pollMs) {
      const want = { topics, pollMs }
      wants.add(want)
      const now = Date.now()
      for (const topic of topics) if (!readAt.has(topic)) readAt.set(topic, now)
      settle()
      return () => {
        wants.delete(want)
        if (wants.size === 0) settle()
      }
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    isUp: () => up,
  }
}
