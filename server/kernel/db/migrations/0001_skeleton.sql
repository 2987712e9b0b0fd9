-- The first schema. Rules for every table that carries tenant_id (asserted by server/kernel/db/catalog.test.ts):
-- tenant_id leads every key, row-level security is enabled and forced, the application's role owns nothing.
-- Times are timestamptz, digests are text 'sha256:<hex>' where people read them and bytea where trees are built.

create function app_tenant() returns uuid language sql stable
  return nullif(current_setting('app.tenant_id', true), '')::uuid;

-- ---------------------------------------------------------------- tenants and people

-- The directory of tenants: readable before sign-in (slug → realm), so it holds no secrets.
create table tenants (
  id uuid primary key,
  slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{1,62}$'),
  external_id text not null unique,
  name text not null,
  display_name text not null,
  branding jsonb not null,
  settings jsonb not null default '{}',
  revision integer not null default 1,
  created_at timestamptz not null default now()
);

-- One row for each principal (issuer + subject) that may act in a tenant.
create table members (
  tenant_id uuid not null references tenants,
  id uuid not null,
  issuer text not null,
  subject text not null,
  kind text not null check (kind in ('person', 'service_account')),
  username text not null,
  display_name text not null,
  email text,
  roles text[] not null default '{}',
  status text not null check (status in ('invited', 'active', 'suspended', 'removed')),
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, issuer, subject)
);

-- Who stands behind a machine: people who created or rotated it are one identity with it (separation of duties).
create table member_sponsors (
  tenant_id uuid not null,
  member_id uuid not null,
  person_id uuid not null,
  link text not null check (link in ('created', 'rotated')),
  created_at timestamptz not null default now(),
  primary key (tenant_id, member_id, person_id, link),
  foreign key (tenant_id, member_id) references members (tenant_id, id),
  foreign key (tenant_id, person_id) references members (tenant_id, id)
);

create table approver_groups (
  tenant_id uuid not null references tenants,
  id uuid not null,
  name text not null,
  display_name text not null,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, name)
);

create table approver_group_members (
  tenant_id uuid not null,
  group_id uuid not null,
  member_id uuid not null,
  primary key (tenant_id, group_id, member_id),
  foreign key (tenant_id, group_id) references approver_groups (tenant_id, id),
  foreign key (tenant_id, member_id) references members (tenant_id, id)
);

-- ---------------------------------------------------------------- identity provider

create table realm_users (
  tenant_id uuid not null references tenants,
  id uuid not null,
  username text not null,
  password_hash text not null,
  display_name text not null,
  email text,
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, username)
);

create table realm_clients (
  tenant_id uuid not null references tenants,
  client_id text not null,
  kind text not null check (kind in ('console', 'cli', 'service')),
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (tenant_id, client_id)
);

-- 256-bit secrets, stored as SHA-256; two live ones overlap during a rotation.
create table realm_client_secrets (
  tenant_id uuid not null,
  client_id text not null,
  id uuid not null,
  secret_sha256 bytea not null,
  not_after timestamptz,
  created_at timestamptz not null default now(),
  primary key (tenant_id, client_id, id),
  foreign key (tenant_id, client_id) references realm_clients (tenant_id, client_id)
);

-- What the OpenID provider keeps: sessions, grants, codes, refresh tokens, interactions. Owner: server/identity.
create table realm_artifacts (
  tenant_id uuid not null references tenants,
  model text not null,
  id text not null,
  payload jsonb not null,
  grant_id text,
  uid text,
  consumed_at timestamptz,
  expires_at timestamptz,
  primary key (tenant_id, model, id)
);
create index realm_artifacts_by_grant on realm_artifacts (tenant_id, grant_id) where grant_id is not null;
create index realm_artifacts_by_uid on realm_artifacts (tenant_id, model, uid) where uid is not null;
create index realm_artifacts_by_expiry on realm_artifacts (tenant_id, expires_at);

-- Private keys are encrypted under the master key (server/kernel/vault.ts).
create table signing_keys (
  tenant_id uuid not null references tenants,
  purpose text not null check (purpose in ('realm', 'cookies', 'log', 'evidence')),
  id uuid not null,
  algorithm text not null,
  public_key text not null,
  private_key bytea not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz,
  primary key (tenant_id, purpose, id)
);
create unique index signing_keys_one_current on signing_keys (tenant_id, purpose) where retired_at is null;

-- ---------------------------------------------------------------- agents, policies, releases

create table agents (
  tenant_id uuid not null references tenants,
  id uuid not null,
  name text not null,
  display_name text not null,
  status text not null check (status in ('registered', 'active', 'suspended', 'retired')),
  revision integer not null default 1,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, name),
  foreign key (tenant_id, created_by) references members (tenant_id, id)
);

create table agent_owners (
  tenant_id uuid not null,
  agent_id uuid not null,
  member_id uuid not null,
  primary key (tenant_id, agent_id, member_id),
  foreign key (tenant_id, agent_id) references agents (tenant_id, id),
  foreign key (tenant_id, member_id) references members (tenant_id, id)
);

create table agent_versions (
  tenant_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  version text not null,
  manifest_yaml text not null,
  manifest jsonb not null,
  manifest_digest text not null,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, agent_id, version),
  unique (tenant_id, agent_id, manifest_digest),
  foreign key (tenant_id, agent_id) references agents (tenant_id, id),
  foreign key (tenant_id, created_by) references members (tenant_id, id)
);

create table policies (
  tenant_id uuid not null references tenants,
  id uuid not null,
  name text not null,
  description text not null default '',
  created_by uuid not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, name)
);

-- Published versions never change.
create table policy_versions (
  tenant_id uuid not null,
  policy_id uuid not null,
  version integer not null,
  source text not null,
  digest text not null,
  status text not null check (status in ('draft', 'published')),
  created_by uuid not null,
  created_at timestamptz not null default now(),
  published_at timestamptz,
  primary key (tenant_id, policy_id, version),
  foreign key (tenant_id, policy_id) references policies (tenant_id, id)
);

create table policy_bindings (
  tenant_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  environment text not null,
  policy_id uuid not null,
  policy_version integer not null,
  mode text not null check (mode in ('enforce', 'shadow')),
  status text not null check (status in ('proposed', 'active', 'superseded', 'revoked', 'rejected', 'withdrawn')),
  approval_id uuid not null,
  proposed_by uuid not null,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, agent_id) references agents (tenant_id, id),
  foreign key (tenant_id, policy_id, policy_version) references policy_versions (tenant_id, policy_id, version)
);
create unique index policy_bindings_one_active on policy_bindings (tenant_id, agent_id, environment, policy_id)
  where status = 'active';
create index policy_bindings_by_agent on policy_bindings (tenant_id, agent_id, environment, status);

-- Content-addressed: digest = SHA-256 of JCS(content), content = manifest, tool schemas, models, policy set.
create table releases (
  tenant_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  agent_version_id uuid not null,
  environment text not null,
  digest text not null,
  content jsonb not null,
  status text not null check (status in ('proposed', 'active', 'superseded', 'revoked', 'rejected', 'withdrawn')),
  approval_id uuid not null,
  proposed_by uuid not null,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, agent_id) references agents (tenant_id, id),
  foreign key (tenant_id, agent_version_id) references agent_versions (tenant_id, id)
);
create unique index releases_one_active on releases (tenant_id, agent_id, environment) where status = 'active';

-- Every answer of the decision point, with what is needed to compute it again.
create table policy_decisions (
  tenant_id uuid not null references tenants,
  id uuid not null,
  agent_id uuid not null,
  release_id uuid,
  execution_id uuid,
  step_id text,
  environment text not null,
  action text not null,
  resource text not null,
  effect text not null check (effect in ('allow', 'deny', 'require_approval')),
  obligations jsonb not null,
  reasons jsonb not null,
  policies jsonb not null,
  request jsonb not null,
  input_digest text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
create index policy_decisions_by_execution on policy_decisions (tenant_id, execution_id);

-- ---------------------------------------------------------------- approvals

create table approvals (
  tenant_id uuid not null references tenants,
  id uuid not null,
  kind text not null check (kind in ('tool_call', 'release', 'policy_binding')),
  subject_id uuid not null,
  status text not null check (status in ('pending', 'approved', 'rejected', 'expired', 'canceled')),
  payload jsonb not null,
  payload_digest text not null,
  presentation jsonb not null,
  agent_id uuid not null,
  execution_id uuid,
  step_id text,
  decision_id uuid,
  requested_by uuid not null,
  identities jsonb not null,
  group_id uuid not null,
  quorum integer not null check (quorum > 0),
  escalation_level integer not null default 0,
  revision integer not null default 1,
  requested_at timestamptz not null default now(),
  expires_at timestamptz not null,
  decided_at timestamptz,
  used_at timestamptz,
  audit_id uuid,
  primary key (tenant_id, id),
  foreign key (tenant_id, requested_by) references members (tenant_id, id),
  foreign key (tenant_id, group_id) references approver_groups (tenant_id, id)
);
create index approvals_by_status on approvals (tenant_id, status, id);
create index approvals_by_subject on approvals (tenant_id, subject_id);

create table approval_votes (
  tenant_id uuid not null,
  approval_id uuid not null,
  id uuid not null,
  member_id uuid not null,
  decision text not null check (decision in ('approve', 'reject', 'escalate')),
  reason text not null,
  escalation_level integer not null,
  audit_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, approval_id, id),
  unique (tenant_id, approval_id, escalation_level, member_id),
  foreign key (tenant_id, approval_id) references approvals (tenant_id, id),
  foreign key (tenant_id, member_id) references members (tenant_id, id)
);

-- ---------------------------------------------------------------- executions

create table executions (
  tenant_id uuid not null references tenants,
  id uuid not null,
  agent_id uuid not null,
  release_id uuid not null,
  environment text not null,
  input jsonb not null,
  idempotency_key text,
  status text not null check (status in ('queued', 'running', 'waiting_approval', 'waiting_input', 'succeeded',
    'failed', 'denied', 'rejected', 'expired', 'timed_out', 'canceled', 'indeterminate')),
  trace_id text not null,
  event_count integer not null default 0,
  output jsonb,
  error jsonb,
  revision integer not null default 1,
  started_by uuid not null,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  deadline_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, agent_id) references agents (tenant_id, id),
  foreign key (tenant_id, release_id) references releases (tenant_id, id),
  foreign key (tenant_id, started_by) references members (tenant_id, id)
);
create unique index executions_idempotency on executions (tenant_id, started_by, idempotency_key)
  where idempotency_key is not null;
create index executions_by_time on executions (tenant_id, id desc);

-- The journal. seq is gap-free from 1 within one execution.
create table execution_events (
  tenant_id uuid not null,
  execution_id uuid not null,
  seq integer not null,
  type text not null,
  step_id text,
  data jsonb not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, execution_id, seq),
  foreign key (tenant_id, execution_id) references executions (tenant_id, id)
);

-- The state of each step that was reached; 'calling' with no live worker means that the outcome is unknown.
create table execution_steps (
  tenant_id uuid not null,
  execution_id uuid not null,
  step_id text not null,
  status text not null check (status in ('decided', 'waiting_approval', 'approved', 'calling', 'succeeded', 'failed', 'skipped')),
  arguments jsonb,
  decision_id uuid,
  approval_id uuid,
  span_id text,
  attempts integer not null default 0,
  output jsonb,
  started_at timestamptz,
  ended_at timestamptz,
  primary key (tenant_id, execution_id, step_id),
  foreign key (tenant_id, execution_id) references executions (tenant_id, id)
);

-- ---------------------------------------------------------------- traces

create table traces (
  tenant_id uuid not null references tenants,
  trace_id text not null check (trace_id ~ '^[0-9a-f]{32}$'),
  execution_id uuid,
  agent_id uuid,
  name text not null,
  -- last change number given out; span rows carry the numbers of their start and end (resumable streams).
  change_count integer not null default 0,
  started_at timestamptz not null,
  ended_at timestamptz,
  primary key (tenant_id, trace_id)
);
create index traces_by_time on traces (tenant_id, started_at desc, trace_id);

create table spans (
  tenant_id uuid not null,
  trace_id text not null,
  span_id text not null check (span_id ~ '^[0-9a-f]{16}$'),
  parent_span_id text,
  name text not null,
  kind text not null,
  status text not null check (status in ('unset', 'ok', 'error')),
  status_message text,
  -- [{key, value}] in order: never an object, because a span may carry a key such as __proto__.
  attributes jsonb not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  start_change integer not null,
  end_change integer,
  primary key (tenant_id, trace_id, span_id),
  foreign key (tenant_id, trace_id) references traces (tenant_id, trace_id)
);

-- ---------------------------------------------------------------- audit log

create table audit_days (
  tenant_id uuid not null references tenants,
  date date not null,
  size integer not null,
  sealed_at timestamptz,
  primary key (tenant_id, date)
);

create table audit_records (
  tenant_id uuid not null,
  date date not null,
  seq integer not null,
  audit_id uuid not null,
  type text not null,
  record jsonb not null,
  nonce bytea not null,
  digest bytea not null,
  leaf_hash bytea not null,
  created_at timestamptz not null,
  primary key (tenant_id, date, seq),
  unique (tenant_id, audit_id)
);

-- Signed tree heads. One size of one day has one root for ever.
create table audit_checkpoints (
  tenant_id uuid not null,
  date date not null,
  size integer not null,
  root bytea not null,
  note text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, date, size),
  foreign key (tenant_id, date) references audit_days (tenant_id, date)
);

-- ---------------------------------------------------------------- evidence

create table evidence_exports (
  tenant_id uuid not null references tenants,
  id uuid not null,
  status text not null check (status in ('queued', 'preflight', 'collecting', 'sealing', 'completed',
    'completed_with_omissions', 'failed', 'canceled')),
  start_at timestamptz not null,
  end_at timestamptz not null,
  include_proofs boolean not null,
  include_raw_payloads boolean not null,
  requested_by uuid not null,
  manifest bytea,
  manifest_sha256 text,
  archive_name text,
  archive_bytes bigint,
  omissions jsonb not null default '[]',
  error jsonb,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, requested_by) references members (tenant_id, id)
);

-- ---------------------------------------------------------------- requests

-- Answers kept for the header Idempotency-Key.
create table idempotency_keys (
  tenant_id uuid not null references tenants,
  member_id uuid not null,
  operation text not null,
  key text not null,
  fingerprint text not null,
  response jsonb not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, member_id, operation, key)
);

-- ---------------------------------------------------------------- row-level security

alter table tenants enable row level security;
alter table tenants force row level security;
create policy tenants_directory on tenants for select using (true);
create policy tenants_write on tenants for update using (id = app_tenant()) with check (id = app_tenant());
create policy tenants_create on tenants for insert with check (id = app_tenant());

do $$
declare t text;
begin
  for t in select table_name from information_schema.columns
           where table_schema = current_schema() and column_name = 'tenant_id'
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant_isolation on %I using (tenant_id = app_tenant()) with check (tenant_id = app_tenant())', t);
  end loop;
end $$;
