import type { Client } from 'pg'
import { counted } from '#lib/verify/counted.ts'
import { lostMailsText } from '#server/mail/lost-mails-text.ts'
import { channelsText, failingText, failingValues } from '#server/notifications/failing-text.ts'
import { type Finding, ok, warning } from './findings.ts'
import { hasTables, inTenant } from './in-tenant.ts'

type Channel = { id: string; name: string; status: string; disabledReason: string | null }
type Failing = { channel_id: string; since: Date; messages: number; error: string | null }
type Mails = { count: number; error: string | null }

/** Channels that do not deliver or were turned off by an answer, and mails to people that did not arrive, of each tenant. */
export async function checkDeliveries(client: Client): Promise<Finding[]> {
  if (!(await hasTables(client, ['mails', 'notification_channels', 'notification_deliveries']))) return []
  const { rows: tenants } = await client.query<{ id: string; name: string }>(
    'select id, external_id as name from tenants order by slug',
  )
  const found: Finding[] = []
  let channels = 0
  for (const { id, name } of tenants) {
    const read = await inTenant(client, id, async () => {
      const all = await channelsOf(client, id)
      return { all, failing: await failingOf(client, id, all), mails: await mailsOf(client, id) }
    })
    channels += read.all.length
    found.push(...read.all.flatMap((channel) => findingsOf(name, channel, read.failing.get(channel.id))))
    if (read.mails.count > 0) found.push(lostMails(name, read.mails))
  }
  return channels > 0 && found.every(({ subject }) => subject !== 'Channels')
    ? [ok('Channels', `${counted(channels, 'channel delivers', 'channels deliver')}, or had nothing to send`), ...found]
    : found
}

const page = 'The page Settings → Notifications of the console lists what was not delivered, and sends it again.'

function findingsOf(
  tenant: string,
  { name, status, disabledReason }: Channel,
  failing: Failing | undefined,
): Finding[] {
  if (status === 'disabled')
    return disabledReason === 'Turned off by a person.'
      ? []
      : [warning('Channels', `${tenant}: the channel ${name} is off. ${disabledReason ?? ''}`.trim(), page)]
  if (failing === undefined) return []
  const { messages, since, error } = failing
  const text = `${tenant}: the channel ${name} has not delivered ${counted(messages, 'message', 'messages')} since ${since.toISOString()}.`
  return [warning('Channels', `${text} ${error ?? ''}`.trim(), page)]
}

const lostMails = (tenant: string, { count, error }: Mails): Finding =>
  warning(
    'Mail',
    `${tenant}: ${counted(count, 'mail', 'mails')} of the last seven days did not arrive. ${error ?? ''}`.trim(),
    'The requests in the console list their mails, and send them again.',
  )

async function channelsOf(client: Client, tenantId: string): Promise<Channel[]> {
  const { rows } = await client.query<Channel>(channelsText, [tenantId])
  return rows
}

async function failingOf(client: Client, tenantId: string, channels: Channel[]): Promise<Map<string, Failing>> {
  const active = channels.filter(({ status }) => status === 'active').map(({ id }) => id)
  const { rows } = await client.query<Failing>(failingText, failingValues(tenantId, active))
  return new Map(rows.map((row) => [row.channel_id, row]))
}

/** Those that were tried. Without SMTP_URL none is, which is a finding of its own. */
async function mailsOf(client: Client, tenantId: string): Promise<Mails> {
  const { rows } = await client.query<Mails>(lostMailsText, [tenantId])
  return rows[0] ?? { count: 0, error: null }
}
