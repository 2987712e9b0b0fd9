'use client'

import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { createAnswerLog, type PartialAnswer } from '#components/traces/model/answer-log.ts'
import { createSpanLog } from '#components/traces/model/span-log.ts'
import { spansOfSkeleton, type TraceSpan, withoutDetails } from '#components/traces/model/trace-span.ts'
import type { TraceEvent } from '#lib/schemas/traces.ts'
import { toFailure, useTRPC } from '#lib/trpc.ts'

/** `over`: the trace has ended, nothing more comes. `lost`: the server refused the stream. */
export type Connection = 'connecting' | 'live' | 'lost' | 'over'

const NONE: readonly TraceSpan[] = []
const NO_ANSWERS: readonly PartialAnswer[] = []
/** A trace begins a moment after its execution was accepted: until then it is not found. */
const beginsWithinMs = 10_000
const askAgainMs = 1500

/** A trace and its spans, followed while it is open. Give the component that calls this the trace's id as its key. */
export function useTrace(traceId: string) {
  const trpc = useTRPC()
  const [log] = useState(createSpanLog)
  const [answerLog] = useState(createAnswerLog)
  const late = useLate(beginsWithinMs)
  // The stream brings what is new.
  const query = useQuery(
    trpc.traces.getTrace.queryOptions({ traceId, view: 'skeleton' }, { staleTime: Number.POSITIVE_INFINITY }),
  )
  const { data, refetch } = query
  const waitingForStart = !late && data === undefined && isUnknown(query.error)
  useChanges(waitingForStart ? ['traces'] : [], askAgainMs)
  const spans = useSyncExternalStore(log.subscribe, log.snapshot, () => NONE)
  const answers = useSyncExternalStore(answerLog.subscribe, answerLog.snapshot, () => NO_ANSWERS)
  const position = useRef('0')
  // Before anything is painted: with the trace there, no span would look like none.
  useLayoutEffect(() => {
    if (data === undefined) return
    if (Number(data.lastEventId) > Number(position.current)) position.current = data.lastEventId
    if (data.skeleton !== undefined) log.takeAll(spansOfSkeleton(data.skeleton))
  }, [data, log])

  const [take] = useState(() => (event: Taken) => {
    answerLog.take(event)
    if (event.type !== 'event') log.take(withoutDetails(event.span))
  })
  const open = data !== undefined && data.trace.endedAt === null
  const { connection, missed, reconnect } = useStream(traceId, open, position, take, refetch)
  // What a lost stream can't take away must not stand there as if it were being written.
  useEffect(() => {
    if (connection === 'lost' || connection === 'over') answerLog.clear()
  }, [connection, answerLog])
  // The stream tells of spans only: when the last one has ended, the trace may have, too.
  const allEnded = open && spans.length > 0 && spans.every((span) => span.endedAt !== null)
  useEffect(() => {
    if (allEnded) void refetch()
  }, [allEnded, refetch])
  return {
    traceId,
    query,
    trace: data?.trace,
    spans,
    /** What models are answering at this moment. */
    answers,
    log,
    connection,
    missed,
    reconnect,
    waitingForStart,
  }
}

const isUnknown = (error: unknown): boolean => error !== null && toFailure(error).code === 'not_found'

/** Whether the component has been there for so long. */
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
  /** Changes that came faster than this page took them: the trace is read again then, so that none is missing. */
  const [missed, setMissed] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is another subscription.
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
