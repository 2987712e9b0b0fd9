import type { JsonObject } from '#lib/json.ts'
import { ChannelKind, NotificationEvent } from '#lib/schemas/notifications/channels.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { endsWhenCut } from '#server/kernel/jobs/when-cut.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { addressOf } from '#server/mail/address.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { type ChannelRow, findChannel, setChannel } from './channel-store.ts'
import { type DeliveryRow, findDelivery, setInFlight, setOutcome } from './delivery-store.ts'
import { type Described, describe } from './describe.ts'
import { type Endpoint, openEndpoint, signedHeaders } from './endpoint.ts'
import { unsendable } from './failing-text.ts'
import { bodyOf, type Message, mailOf } from './message.ts'
import { type Outcome, post } from './post.ts'
import { sendMail } from './send-mail.ts'
import { notificationQueue } from './tell-channels.ts'

/** Seconds until the next attempt, by the attempts that were made; then the last one again. */
const pauses = [5, 30, 120, 600, 1800, 3600, 7200, 14_400]
const longestMs = 24 * 3_600_000

/** Sends one delivery, one attempt per job. */
export const notifications = endsWhenCut({
  queue: notificationQueue,
  concurrency: 4,
  run: ({ tenantId, id }) => deliver(tenantId, id),
})

type Sending = { row: DeliveryRow; channel: ChannelRow; endpoint: Endpoint; message: Message; now: Date }

async function deliver(tenantId: string, id: string): Promise<void> {
  const { database, log } = runtime()
  const sending = await database.inTenant(tenantId, (tx) => claim(tx, tenantId, id))
  if (sending === undefined) return
  const { row, channel } = sending
  const outcome = await send(sending)
  if (outcome.delivery !== 'delivered')
    log.warn({ tenantId, deliveryId: id, host: channel.host, ...outcome }, 'a notification was not delivered')
  await database.inTenant(tenantId, (tx) => settle(tx, tenantId, row, channel, outcome))
}

async function send({ row, channel, endpoint, message, now }: Sending): Promise<Outcome> {
  const kind = ChannelKind.parse(channel.kind)
  if (kind === 'mail') return await sendMail(endpoint.address, mailOf(message, channel.name), row)
  const body = JSON.stringify(bodyOf(kind, message))
  const headers = kind === 'webhook' ? signedHeaders(endpoint, { id: row.id, body, now }) : {}
  return await post(endpoint.address, body, headers, { mayRepeat: kind === 'webhook' })
}

/** pending → in_flight, with what is sent. Settles what an ended process was sending, and what can't be sent any more. */
async function claim(tx: Transaction, tenantId: string, id: string): Promise<Sending | undefined> {
  const found = await findDelivery(tx, tenantId, id)
  const channel = found && (await findChannel(tx, tenantId, found.channelId))
  if (found === undefined || channel === undefined) return undefined
  if (found.delivery === 'in_flight') {
    await settle(tx, tenantId, found, channel, {
      delivery: channel.kind === 'webhook' ? 'again' : 'unknown',
      error: 'The sending process ended before an answer came.',
    })
    return undefined
  }
  const row = await setInFlight(tx, tenantId, id)
  if (row === undefined) return undefined
  const tenant = await tenantById(tx, tenantId)
  const about = await aboutOf(tx, tenant, row)
  if (channel.status === 'disabled' || about === undefined) {
    await settle(tx, tenantId, row, channel, {
      delivery: 'failed',
      error: about === undefined ? unsendable.gone : unsendable.disabled,
    })
    return undefined
  }
  const { path, ...described } = about
  const message = {
    event: row.event,
    at: row.createdAt.toISOString(),
    tenant: tenant.displayName,
    tenantId: tenant.externalId,
    about: { ...described, link: addressOf(path, tenant) },
  }
  return {
    row,
    channel,
    endpoint: await openEndpoint(tx, tenantId, channel.id, channel.endpoint),
    message,
    now: (await databaseClock(tx))(),
  }
}

async function aboutOf(tx: Transaction, tenant: Tenant, { event, subjectId, facts }: DeliveryRow) {
  if (event === 'test') return testMessage(tenant)
  return await describe(tx, tenant, NotificationEvent.parse(event), subjectId, facts as JsonObject)
}

const testMessage = ({ externalId }: Tenant): Described => ({
  title: 'This channel works.',
  path: `/t/${externalId}/settings/notifications`,
})

async function settle(
  tx: Transaction,
  tenantId: string,
  row: DeliveryRow,
  channel: ChannelRow,
  outcome: Outcome,
): Promise<void> {
  const now = (await databaseClock(tx))()
  const leftMs = row.triedSince.getTime() + longestMs - now.getTime()
  const repeats = outcome.delivery === 'again' && leftMs > 0
  const delivery = outcome.delivery === 'again' ? (repeats ? 'pending' : 'failed') : outcome.delivery
  if (!(await setOutcome(tx, tenantId, row, { delivery, error: outcome.error }))) return
  if (repeats) {
    const pause = pauses[Math.min(row.attempts - row.triedBefore, pauses.length) - 1] ?? 5
    // The last attempt is at the end of the day, not after it.
    const seconds = Math.max(1, Math.min(pause, Math.floor(leftMs / 1000)))
    await runtime().queue.enqueue(tx, notificationQueue, { tenantId, id: row.id }, { seconds })
    return
  }
  const tenant = await tenantById(tx, tenantId)
  if (delivery !== 'delivered')
    await appendAudit(tx, tenant, {
      actor: systemActor,
      action: `notification.${delivery}`,
      resource: { type: 'notification', id: row.id },
      details: { channelId: channel.id, event: row.event, attempts: row.attempts, error: outcome.error },
    })
  if (outcome.gone === true) await disable(tx, tenant, channel)
}

/** The receiver said that it is gone for good (410), unless the channel has another address by now. */
async function disable(tx: Transaction, tenant: Tenant, sentOver: ChannelRow): Promise<void> {
  const disabledReason = 'Its address answered 410: it is gone.'
  const channel = await findChannel(tx, tenant.id, sentOver.id)
  if (channel === undefined || channel.status === 'disabled' || !channel.endpoint.equals(sentOver.endpoint)) return
  if (!(await setChannel(tx, tenant.id, { ...channel, status: 'disabled', disabledReason }))) return
  await appendAudit(tx, tenant, {
    actor: systemActor,
    action: 'notification_channel.disabled',
    resource: { type: 'notification_channel', id: channel.id },
    details: { reason: disabledReason },
  })
}
