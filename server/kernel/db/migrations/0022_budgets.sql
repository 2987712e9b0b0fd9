-- Budgets of policies: how much of each is used in each of its windows, and for which decision it was reserved.
-- Amounts are millionths of a call, a token, or a unit of the currency.

create table policy_budget_windows (
  tenant_id uuid not null references tenants,
  id uuid not null,
  -- Names the policy, its rule, scope, unit and window; and whom it counts for.
  budget text not null,
  subject text not null,
  -- A budget without windows has one, that began with the epoch and does not end.
  starts_at timestamptz not null,
  ends_at timestamptz,
  policy_id uuid not null,
  rule text not null,
  scope text not null check (scope in ('execution', 'agent', 'environment', 'tenant')),
  unit text not null check (unit in ('calls', 'tokens', 'USD', 'EUR')),
  window_seconds integer check (window_seconds > 0),
  environment text,
  agent_id uuid,
  execution_id uuid,
  -- The limit that was asked for last: another version of the policy may have another one.
  quota bigint not null check (quota >= 0),
  -- What is reserved and what was charged, together. What a call really cost can lead above the quota.
  used bigint not null check (used >= 0),
  primary key (tenant_id, id),
  unique (tenant_id, budget, subject, starts_at),
  foreign key (tenant_id, policy_id) references policies (tenant_id, id),
  foreign key (tenant_id, agent_id) references agents (tenant_id, id)
);
create index policy_budget_windows_by_policy on policy_budget_windows (tenant_id, policy_id, id desc);
create index policy_budget_windows_by_end on policy_budget_windows (tenant_id, ends_at);

-- Written in the transaction that records the decision, settled in the one that records how the call ended.
create table policy_budget_reservations (
  tenant_id uuid not null references tenants,
  decision_id uuid not null,
  window_id uuid not null,
  -- A call whose outcome is unknown may be made again: each attempt can cost.
  attempt integer not null,
  reserved bigint not null check (reserved >= 0),
  -- Null: not known yet, and all of what is reserved counts.
  charged bigint check (charged >= 0),
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  primary key (tenant_id, decision_id, window_id, attempt),
  check ((charged is null) = (settled_at is null)),
  foreign key (tenant_id, decision_id) references policy_decisions (tenant_id, id),
  foreign key (tenant_id, window_id) references policy_budget_windows (tenant_id, id) on delete cascade
);
create index policy_budget_reservations_open on policy_budget_reservations (tenant_id, window_id) where charged is null;

do $$
declare t text;
begin
  foreach t in array array['policy_budget_windows', 'policy_budget_reservations']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant_isolation on %I using (tenant_id = app_tenant()) with check (tenant_id = app_tenant())', t);
  end loop;
end $$;
