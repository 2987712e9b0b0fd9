import { Delivery } from '#lib/schemas/mail.ts'
import { Channel, ChannelKind, NotificationDelivery } from '#lib/schemas/notifications/channels.ts'
import type { actorsById } from '#server/tenants/actors.ts'
import type { ChannelRow } from './channel-store.ts'
import type { DeliveryRow, listFailing } from './delivery-store.ts'

export const channelView = (row: ChannelRow, actor: Awaited<ReturnType<typeof actorsById>>): Channel => ({
  id: row.id,
  kind: ChannelKind.parse(row.kind),
  name: row.name,
  host: row.host,
  events: Channel.shape.events.parse(row.events),
  status: Channel.shape.status.parse(row.status),
  disabledReason: row.disabledReason,
  createdBy: actor(row.createdBy),
  createdAt: row.createdAt.toISOString(),
  revision: row.revision,
})

type Failing = Awaited<ReturnType<typeof listFailing>> extends Map<string, infer Row> ? Row : never

export const failingView = (row: Failing | undefined): NonNullable<Channel['failing']> | null =>
  row === undefined ? null : { ...row, since: row.since.toISOString() }

export const deliveryView = (row: DeliveryRow): NotificationDelivery => ({
  id: row.id,
  channelId: row.channelId,
  event: NotificationDelivery.shape.event.parse(row.event),
  subjectId: row.subjectId,
  createdAt: row.createdAt.toISOString(),
  delivery: Delivery.parse(row.delivery),
  attempts: row.attempts,
  error: row.error,
  settledAt: row.settledAt?.toISOString() ?? null,
  revision: row.revision,
})
