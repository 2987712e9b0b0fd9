-- Encrypted content carries a commitment to its value, which stays when the value is removed (docs/decisions/0037-commitments-
-- of-content.md). The first byte of a stored value is its format: 3 encrypted, 4 encrypted with a commitment (32 bytes from the
-- sixth on), 5 only the commitment.

-- Whether a value was never set or has been removed.
create function content_gone(value bytea) returns boolean
language sql immutable parallel safe as $$
  select value is null or substring(value from 1 for 1) = '\x05'::bytea
$$;

-- What remains of a value that is removed. Null for a value without a commitment.
create function content_stub(value bytea) returns bytea
language sql immutable parallel safe as $$
  select case substring(value from 1 for 1)
    when '\x04'::bytea then '\x05'::bytea || substring(value from 6 for 32)
    when '\x05'::bytea then value
  end
$$;

-- A tenant whose content every process can read in format 4: from then on no value is written in format 3. Then the older
-- values are encrypted again, which ends once.
create table content_formats (
  tenant_id uuid primary key references tenants,
  since timestamptz not null default clock_timestamp(),
  completed_at timestamptz
);
alter table content_formats enable row level security;
alter table content_formats force row level security;
create policy tenant_isolation on content_formats using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());

-- The indexes of 0042 find what retention has not removed, which a removed value no longer shows by being null.
drop index executions_with_content, approvals_with_content, policy_decisions_with_content, input_events_with_content,
  mails_with_content, idempotency_keys_with_content;
create index executions_with_content on executions (tenant_id, ended_at)
  where ended_at is not null and not content_gone(input);
create index approvals_with_content on approvals (tenant_id, decided_at)
  where execution_id is null and not content_gone(presentation);
create index policy_decisions_with_content on policy_decisions (tenant_id, created_at)
  where execution_id is null and not content_gone(request);
create index input_events_with_content on input_events (tenant_id, settled_at) where not content_gone(data);
create index mails_with_content on mails (tenant_id, created_at) where not content_gone(message);
create index idempotency_keys_with_content on idempotency_keys (tenant_id, created_at) where not content_gone(response);
