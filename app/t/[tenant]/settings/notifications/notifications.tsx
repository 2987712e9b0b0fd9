'use client'

import { useState } from 'react'
import { useQuery } from '#components/api/query.ts'
import { Section } from '#components/page/section.tsx'
import { MissingPermission, RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { SettingsPage } from '#components/settings/settings-page.tsx'
import * as t from '#components/texts/settings-notifications/en.ts'
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
    <SettingsPage page="notifications" title={t.notifications}>
      {can('approval:decide') && (
        <Section title={t.inThisBrowser}>
          <BrowserNotices />
        </Section>
      )}
      {can('tenant:manage') ? (
        <Channels />
      ) : (
        <MissingPermission act={t.seeOrganisationsChannels} permission="tenant:manage" />
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
      <Skeleton label={t.loadingChannels} rows={4} />
    ) : (
      <RequestFailed
        error={error}
        what={t.theChannels}
        plural
        act={t.seeChannels}
        permission="tenant:manage"
        retry={() => void refetch()}
      />
    )
  return (
    <>
      <Section title={t.channels}>
        <p className="max-w-2xl text-ink-2">{t.messageNamesWhatHappened}</p>
        <Listed channels={data.items} />
        <div>
          <Button onClick={() => setAdding(true)}>{t.addA}</Button>
        </div>
        {adding && <EditChannel onClose={() => setAdding(false)} />}
      </Section>
      <Section title={t.lastMessages}>
        <Deliveries channels={data.items} />
      </Section>
    </>
  )
}

function Listed({ channels }: { channels: Channel[] }) {
  if (channels.length > 0) return <ChannelTable channels={channels} />
  return <EmptyState title={t.noChannels}>{t.addWebhookIncomingWebhook}</EmptyState>
}
