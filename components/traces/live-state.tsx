'use client'

import { useEffect, useRef, useState } from 'react'
import { Button } from '#components/ui/controls/button.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { formatCount } from '#lib/format.ts'
import type { Connection } from './use-trace.ts'

type LiveStateProps = {
  connection: Connection
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
export function LiveState({ connection, paused, fresh, missed, onFollow, onReconnect }: LiveStateProps) {
  return (
    <span className="inline-flex min-h-9 flex-wrap items-center gap-x-3">
      <LiveWord connection={connection} paused={paused} fresh={fresh} />
      {connection === 'live' && paused && <Button onClick={onFollow}>Follow new spans</Button>}
      {connection === 'lost' && <Button onClick={onReconnect}>Reconnect</Button>}
      {missed > 0 && (
        <span className="text-ink-2">
          {formatCount(missed, 'change')} arrived faster than this page could show; the trace was reloaded.
        </span>
      )}
      <Announcement connection={connection} fresh={fresh} />
    </span>
  )
}

function LiveWord({ connection, paused, fresh }: { connection: Connection; paused: boolean; fresh: number }) {
  switch (connection) {
    case 'connecting':
      return <StatusShape status="pending" label="Connecting" />
    case 'lost':
      return <StatusShape status="failed" label="Not live: the connection was refused" />
    case 'over':
      return <span className="text-ink-2">Complete: no more spans will arrive</span>
    case 'live':
      return paused ? (
        <StatusShape status="pending" label={`Paused, ${fresh} new`} />
      ) : (
        <StatusShape status="running" label="Live" />
      )
  }
}

/** Least time between two announcements, in milliseconds. */
const QUIET_MS = 5000

/** Announces new spans to screen readers, at most every five seconds. */
function Announcement({ connection, fresh }: { connection: Connection; fresh: number }) {
  const text = connection === 'live' && fresh > 0 ? `${formatCount(fresh, 'new span')}.` : ''
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
