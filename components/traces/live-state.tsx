'use client'

import { useEffect, useRef, useState } from 'react'
import * as t from '#components/texts/traces/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import type { Connection } from './use-trace.ts'

type LiveStateProps = {
  connection: Connection
  /** False for a trace whose spans arrive after they have ended, which is not followed as it grows. */
  running: boolean
  /** Whether automatic scrolling is paused because the reader selected a span or scrolled. */
  paused: boolean
  /** Spans that arrived during the pause. */
  fresh: number
  /** Changes that the page was too slow for. */
  missed: number
  onFollow: () => void
  onReconnect: () => void
}

/** The state of the live connection, with buttons to resume or reconnect. */
export function LiveState({ connection, running, paused, fresh, missed, onFollow, onReconnect }: LiveStateProps) {
  return (
    <span className="inline-flex min-h-9 flex-wrap items-center gap-x-3">
      <LiveWord connection={connection} running={running} paused={paused} fresh={fresh} />
      {connection === 'live' && paused && <Button onClick={onFollow}>{t.followNewSpans}</Button>}
      {connection === 'lost' && <Button onClick={onReconnect}>{t.reconnect}</Button>}
      {missed > 0 && <span className="text-ink-2">{t.changesArrivedFasterThan({ changes: missed })}</span>}
      <Announcement connection={connection} fresh={fresh} />
    </span>
  )
}

type LiveWordProps = Pick<LiveStateProps, 'connection' | 'running' | 'paused' | 'fresh'>

function LiveWord({ connection, running, paused, fresh }: LiveWordProps) {
  switch (connection) {
    case 'connecting':
      return <StatusShape status="pending" label={t.connecting} />
    case 'lost':
      return <StatusShape status="failed" label={t.notLiveConnectionWas} />
    case 'over':
      return <span className="text-ink-2">{t.executionHasEnded}</span>
    case 'live':
      if (!running) return <span className="text-ink-2">{t.servicesMaySendSpans}</span>
      return paused ? (
        <StatusShape status="pending" label={t.pausedNew({ fresh })} />
      ) : (
        <StatusShape status="running" label={t.live} />
      )
  }
}

/** Least time between two announcements, in milliseconds. */
const QUIET_MS = 5000

/** Announces new spans to screen readers, at most every five seconds. */
function Announcement({ connection, fresh }: { connection: Connection; fresh: number }) {
  const text = connection === 'live' && fresh > 0 ? t.newSpans({ newSpans: fresh }) : ''
  const [said, setSaid] = useState('')
  const saidAt = useRef(0)
  useEffect(() => {
    const timer = setTimeout(
      () => {
        saidAt.current = Date.now()
        setSaid(text)
      },
      Math.max(0, saidAt.current + QUIET_MS - Date.now()),
    )
    return () => clearTimeout(timer)
  }, [text])
  return (
    <span role="status">
      <VisuallyHidden>{said}</VisuallyHidden>
    </span>
  )
}
