'use client'

import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { NotDone } from '#components/forms/not-done.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import * as t from '#components/texts/settings-notifications/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { Channel, NotificationDelivery } from '#lib/schemas/notifications/channels.ts'
import { useTRPC } from '#lib/trpc.ts'
import { wordsOf } from './event-words.ts'

const states: Readonly<Record<NotificationDelivery['delivery'], { status: Status; label: string }>> = {
  pending: { status: 'waiting', label: t.waitsToBeSent },
  in_flight: { status: 'running', label: t.beingSent },
  delivered: { status: 'approved', label: t.delivered },
  failed: { status: 'failed', label: t.notDelivered },
  unknown: { status: 'omissions', label: t.unknown },
}

/** While the socket is down, in milliseconds. */
const refreshMs = 5_000

/** What was sent in the last 30 days, why it failed, and what a person can send again. */
export function Deliveries({ channels }: { channels: readonly Channel[] }) {
  const trpc = useTRPC()
  const { client } = useApi()
  const pages = usePages(trpc.notifications.listDeliveries, {})
  useChanges(['notifications'], refreshMs)
  const again = useAct({ send: client.notifications.resend.mutate, touches: ['notifications'] })
  const columns: Column<NotificationDelivery>[] = [
    { key: 'at', header: t.time, cell: ({ createdAt }) => <Time at={createdAt} show="clock" /> },
    { key: 'event', header: t.message, rowHeader: true, cell: ({ event }) => wordsOf(event) },
    {
      key: 'channel',
      header: t.channel,
      cell: ({ channelId }) => <ShownText>{channels.find(({ id }) => id === channelId)?.name ?? t.removed}</ShownText>,
    },
    {
      key: 'state',
      header: t.state,
      cell: ({ delivery, error, attempts }) => (
        <>
          <StatusShape {...states[delivery]} />
          {error !== null && (
            <span className="block text-ink-2">
              <ShownText>{error}</ShownText> {attempts > 1 && t.attempts({ attempts })}
            </span>
          )}
        </>
      ),
    },
    {
      key: 'acts',
      header: <span className="sr-only">{t.actions}</span>,
      cell: ({ id, delivery, revision, event }) =>
        (delivery === 'failed' || delivery === 'unknown') && (
          <Button variant="quiet" onClick={() => again.run({ id, expectedRevision: revision })}>
            {t.sendAgain({ event: wordsOf(event), span: (content) => <span className="sr-only">{content}</span> })}
          </Button>
        ),
    },
  ]
  return (
    <>
      {again.failure !== undefined && (
        <NotDone failure={again.failure} title={t.messageWasNotSent} ifUnknown={t.listShowsItsState} />
      )}
      <PagedTable
        pages={pages}
        caption={t.lastMessages}
        columns={columns}
        rowKey={({ id }) => id}
        failed={{ what: t.theMessages, act: t.seeMessages, permission: 'tenant:manage' }}
        empty={<EmptyState title={t.nothingWasSentYet}>{t.sendTestOverChannel}</EmptyState>}
      />
    </>
  )
}
