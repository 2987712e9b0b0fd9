'use client'

import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { NotDone } from '#components/forms/not-done.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
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
  pending: { status: 'waiting', label: 'Waits to be sent' },
  in_flight: { status: 'running', label: 'Being sent' },
  delivered: { status: 'approved', label: 'Delivered' },
  failed: { status: 'failed', label: 'Not delivered' },
  unknown: { status: 'omissions', label: 'Unknown' },
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
    { key: 'at', header: 'Time', cell: ({ createdAt }) => <Time at={createdAt} show="clock" /> },
    { key: 'event', header: 'Message', rowHeader: true, cell: ({ event }) => wordsOf(event) },
    {
      key: 'channel',
      header: 'Channel',
      cell: ({ channelId }) => <ShownText>{channels.find(({ id }) => id === channelId)?.name ?? 'Removed'}</ShownText>,
    },
    {
      key: 'state',
      header: 'State',
      cell: ({ delivery, error, attempts }) => (
        <>
          <StatusShape {...states[delivery]} />
          {error !== null && (
            <span className="block text-ink-2">
              <ShownText>{error}</ShownText> {attempts > 1 && `${attempts} attempts.`}
            </span>
          )}
        </>
      ),
    },
    {
      key: 'acts',
      header: <span className="sr-only">Actions</span>,
      cell: ({ id, delivery, revision, event }) =>
        (delivery === 'failed' || delivery === 'unknown') && (
          <Button variant="quiet" onClick={() => again.run({ id, expectedRevision: revision })}>
            Send again
            <span className="sr-only">: {wordsOf(event)}</span>
          </Button>
        ),
    },
  ]
  return (
    <>
      {again.failure !== undefined && (
        <NotDone
          failure={again.failure}
          title="The message was not sent again."
          ifUnknown="The list shows its state."
        />
      )}
      <PagedTable
        pages={pages}
        caption="Last messages"
        columns={columns}
        rowKey={({ id }) => id}
        failed={{ what: 'The messages', act: 'see the messages', permission: 'tenant:manage' }}
        empty={<EmptyState title="Nothing was sent yet.">Send a test over a channel to see it here.</EmptyState>}
      />
    </>
  )
}
