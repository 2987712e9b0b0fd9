'use client'

import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { createAnswerLog, type PartialAnswer } from '#components/traces/model/answer-log.ts'
import { createSpanLog } from '#components/traces/model/span-log.ts'
import { spansOfSkeleton, type TraceSpan, withoutDetails } from '#components/traces/model/trace-span.ts'
import type { Trace, TraceEvent } from '#lib/schemas/traces.ts'
import { toFailure, useTRPC } from '#lib/trpc.ts'

/** `over`: the execution has ended, and the stream with it. `lost`: the server refused the stream. */
export type Connection = 'connecting' | 'live' | 'lost' | 'over'

const NONE: readonly TraceSpan[] = []
const NO_ANSWERS: readonly PartialAnswer[] = []
/** A trace starts shortly after its execution was accepted. Until then the API returns 404. */
const beginsWithinMs = 10_000
const askAgainMs = 1500

/** Loads a trace and its spans, and follows them while it is open. Use the trace's id as the key of the calling component. */
export function useTrace(traceId: string) {
  const trpc = useTRPC()
  const [log] = useState(createSpanLog)
  const [answerLog] = useState(createAnswerLog)
  const late = useLate(beginsWithinMs)
  // The stream delivers later spans.
  const query = useQuery(
    trpc.traces.getTrace.queryOptions({ traceId, view: 'skeleton' }, { staleTime: Number.POSITIVE_INFINITY }),
  )
  const { data, refetch } = query
  const waitingForStart = !late && data === undefined && isUnknown(query.error)
  useChanges(waitingForStart ? ['traces'] : [], askAgainMs)
  const spans = useSyncExternalStore(log.subscribe, log.snapshot, () => NONE)
  const answers = useSyncExternalStore(answerLog.subscribe, answerLog.snapshot, () => NO_ANSWERS)
  const position = useRef('0')
  // Before the first paint: a loaded trace without its spans would look empty.
  useLayoutEffect(() => {
    if (data === undefined) return
    if (Number(data.lastEventId) > Number(position.current)) position.current = data.lastEventId
    if (data.skeleton !== undefined) log.takeAll(spansOfSkeleton(data.skeleton))
  }, [data, log])

  const [take] = useState(() => (event: Taken) => {
    answerLog.take(event)
    if (event.type !== 'event') log.take(withoutDetails(event.span))
  })
  const open = data !== undefined && isFollowed(data.trace)
  const { connection, missed, reconnect } = useStream(traceId, open, position, take, refetch)
  // Without the stream, partial answers would stay on the page as if they were still being generated.
  useEffect(() => {
    if (connection === 'lost' || connection === 'over') answerLog.clear()
  }, [connection, answerLog])
  // The stream reports only spans. When the last one ends, the trace may have ended, too.
  const running = open && data.trace.endedAt === null
  const allEnded = running && spans.length > 0 && spans.every((span) => span.endedAt !== null)
  useEffect(() => {
    if (allEnded) void refetch()
  }, [allEnded, refetch])
  return {
    traceId,
    query,
    trace: data?.trace,
    spans,
    /** Returns the answers that models are generating. */
    answers,
    log,
    connection,
    /** Whether its spans follow as they start. Those of an external agent arrive after they have ended, in any order. */
    running,
    missed,
    reconnect,
    waitingForStart,
  }
}

/** As long as the server keeps its stream open: the services of an external agent may send spans to a trace at any time. */
const isFollowed = ({ executionId, endedAt }: Pick<Trace, 'executionId' | 'endedAt'>): boolean =>
  executionId === null || endedAt === null

const isUnknown = (error: unknown): boolean => error !== null && toFailure(error).code === 'not_found'

/** Returns whether the component has been mounted for this many milliseconds. */
function useLate(afterMs: number): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), afterMs)
    return () => clearTimeout(timer)
  }, [afterMs])
  return late
}

type Taken = Exclude<TraceEvent, { type: 'gap' | 'heartbeat' }>

function useStream(
  traceId: string,
  open: boolean,
  position: { current: string },
  take: (event: Taken) => void,
  refetch: () => Promise<unknown>,
): { connection: Connection; missed: number; reconnect: () => void } {
  const { client } = useApi()
  const [attempt, setAttempt] = useState(0)
  const [connection, setConnection] = useState<Exclude<Connection, 'over'>>('connecting')
  /** Number of changes that the page was too slow for. The trace is then reloaded, so that none is missing. */
  const [missed, setMissed] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt is a new subscription.
  useEffect(() => {
    if (!open) return
    const { unsubscribe } = client.traces.stream.subscribe(
      { traceId, lastEventId: position.current },
      {
        onStarted: () => setConnection('live'),
        onData({ id, data }) {
          position.current = id
          setConnection('live')
          if (data.type === 'gap') {
            setMissed((before) => before + data.missed)
            void refetch()
          } else if (data.type !== 'heartbeat') take(data)
        },
        onConnectionStateChange({ state }) {
          if (state === 'connecting') setConnection('connecting')
        },
        onError: () => setConnection('lost'),
      },
    )
    return unsubscribe
  }, [client, traceId, open, position, take, refetch, attempt])
  return {
    connection: open ? connection : 'over',
    missed,
    reconnect: () => {
      setConnection('connecting')
      setAttempt((count) => count + 1)
    },
  }
}
