-- When a person last signed in with a password. Sessions know it, and are deleted when they end.
alter table realm_users add column signed_in_at timestamptz;
update realm_users account set signed_in_at = session.at
from (
  select tenant_id, payload ->> 'accountId' as account_id, to_timestamp(max((payload ->> 'loginTs')::bigint)) as at
  from realm_artifacts
  where model = 'Session' and payload ->> 'loginTs' is not null
  group by tenant_id, payload ->> 'accountId'
) session
where session.tenant_id = account.tenant_id and session.account_id = account.id::text;
-- To count the approvers who have a passkey.
create index members_approvers on members (tenant_id, id)
  where kind = 'person' and status = 'active' and 'approver' = any(roles);
