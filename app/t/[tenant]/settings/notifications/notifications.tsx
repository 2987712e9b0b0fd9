'use client'

import { useState } from 'react'
import { useQuery } from '#components/api/query.ts'
import { Section } from '#components/page/section.tsx'
import { MissingPermission, RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { SettingsPage } from '#components/settings/settings-page.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import type { Channel } from '#lib/schemas/notifications/channels.ts'
import { useTRPC } from '#lib/trpc.ts'
import { BrowserNotices } from './browser-notices.tsx'
import { ChannelTable } from './channel-table.tsx'
import { Deliveries } from './deliveries.tsx'
import { EditChannel } from './edit-channel.tsx'

/** How people and systems outside learn what happened: this browser, and the channels of the organisation. */
export function NotificationsPage() {
  const { can } = useSession()
  return (
    <SettingsPage page="notifications" title="Notifications">
      {can('approval:decide') && (
        <Section title="In this browser">
          <BrowserNotices />
        </Section>
      )}
      {can('tenant:manage') ? (
        <Channels />
      ) : (
        <MissingPermission act="see the organisation’s channels" permission="tenant:manage" />
      )}
    </SettingsPage>
  )
}

function Channels() {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.notifications.listChannels.queryOptions({}))
  const [adding, setAdding] = useState(false)
  if (data === undefined)
    return error === null ? (
      <Skeleton label="Loading the channels…" rows={4} />
    ) : (
      <RequestFailed
        error={error}
        what="The channels"
        plural
        act="see the channels"
        permission="tenant:manage"
        retry={() => void refetch()}
      />
    )
  return (
    <>
      <Section title="Channels">
        <p className="max-w-2xl text-ink-2">
          A message names what happened, the risk, who asks and the beginning of the digest, with a link. It never
          contains arguments, and nothing can be decided with it.
        </p>
        <Listed channels={data.items} />
        <div>
          <Button onClick={() => setAdding(true)}>Add a channel…</Button>
        </div>
        {adding && <EditChannel onClose={() => setAdding(false)} />}
      </Section>
      <Section title="Last messages">
        <Deliveries channels={data.items} />
      </Section>
    </>
  )
}

function Listed({ channels }: { channels: Channel[] }) {
  if (channels.length > 0) return <ChannelTable channels={channels} />
  return (
    <EmptyState title="No channels.">
      Add a webhook, an incoming webhook of Slack or Teams, or a mail address, and choose what it reports. Reviewers get
      mail without a channel.
    </EmptyState>
  )
}
