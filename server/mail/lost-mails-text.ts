/** Counts the mails of a tenant ($1) of the last seven days that were tried and did not arrive, with the newest reason. */
export const lostMailsText = `
  select count(*)::int as count, (array_agg(error order by created_at desc) filter (where error is not null))[1] as error
  from mails where tenant_id = $1 and delivery in ('failed', 'unknown') and attempts > 0
    and created_at > clock_timestamp() - interval '7 days'`
