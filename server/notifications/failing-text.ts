/** Why a delivery is not sent, whatever its address would answer. */
export const unsendable = { gone: 'What it reports is no longer stored.', disabled: 'The channel is disabled.' }

/** For each channel: what was tried and not delivered since the last delivery that was. Channels that deliver are left out. */
export const failingText = `
  select d.channel_id, min(d.created_at) as since, count(*)::int as messages,
    (array_agg(d.error order by d.id desc) filter (where d.error is not null))[1] as error
  from notification_deliveries d
  where d.tenant_id = $1 and d.channel_id = any($2::uuid[])
    and d.delivery <> 'delivered' and d.attempts > 0
    -- Its first attempt may still succeed.
    and not (d.delivery = 'in_flight' and d.attempts = d.tried_before + 1)
    and (d.error is null or d.error <> all($3::text[]))
    and coalesce(d.settled_at, clock_timestamp()) > coalesce((select max(o.settled_at) from notification_deliveries o
      where o.tenant_id = d.tenant_id and o.channel_id = d.channel_id and o.delivery = 'delivered'), '-infinity')
  group by d.channel_id`

export const failingValues = (tenantId: string, channelIds: readonly string[]): unknown[] => [
  tenantId,
  [...channelIds],
  Object.values(unsendable),
]

/** The channels of a tenant ($1) by name, for a reader without the rest of the server. */
export const channelsText = `
  select id, name, status, disabled_reason as "disabledReason" from notification_channels where tenant_id = $1 order by name`
