-- Repeats 0107 for owners without BYPASSRLS: row-level security is forced, so without a tenant it found no rows.
alter table realm_users no force row level security;
alter table realm_artifacts no force row level security;
update realm_users account set signed_in_at = session.at
from (
  select tenant_id, payload ->> 'accountId' as account_id, to_timestamp(max((payload ->> 'loginTs')::bigint)) as at
  from realm_artifacts
  where model = 'Session' and payload ->> 'loginTs' is not null
  group by tenant_id, payload ->> 'accountId'
) session
where session.tenant_id = account.tenant_id and session.account_id = account.id::text and account.signed_in_at is null;
alter table realm_artifacts force row level security;
alter table realm_users force row level security;
