-- Stages, reminders, an escalation by itself, and a clock that stops (docs/decisions/0068-stages-and-clocks.md). Only requests
-- that have one of them have a row. `approvals.group_id` is the group of the current stage, and `approvals.quorum` how many
-- approvals the request needs in total.
create table approval_terms (
  tenant_id uuid not null references tenants,
  approval_id uuid not null,
  -- [{"groupId", "group", "quorum"}], in order.
  stages jsonb not null,
  stage integer not null default 0 check (stage >= 0 and stage < jsonb_array_length(stages)),
  -- The ids of the votes that ended each earlier stage.
  stage_votes jsonb not null default '[]',
  expires_after_seconds integer not null check (expires_after_seconds > 0),
  remind_at jsonb not null,
  escalate_after_seconds integer,
  pause_on_question boolean not null,
  -- Which of its moments are over: "remind 50", "escalate".
  passed jsonb not null default '[]',
  paused_at timestamptz,
  primary key (tenant_id, approval_id),
  foreign key (tenant_id, approval_id) references approvals (tenant_id, id)
);

-- A reviewer's wish for other arguments, which ended a request, and the request that followed (docs/decisions/0069-changes.md).
create table approval_revisions (
  tenant_id uuid not null references tenants,
  approval_id uuid not null,
  requested_by uuid not null,
  reason text not null,
  audit_id uuid not null,
  requested_at timestamptz not null default clock_timestamp(),
  next_id uuid,
  revised_by uuid,
  revised_at timestamptz,
  primary key (tenant_id, approval_id),
  foreign key (tenant_id, approval_id) references approvals (tenant_id, id),
  foreign key (tenant_id, next_id) references approvals (tenant_id, id),
  check ((next_id is null) = (revised_by is null) and (next_id is null) = (revised_at is null))
);
create unique index approval_revisions_by_next on approval_revisions (tenant_id, next_id) where next_id is not null;

alter table approval_terms enable row level security;
alter table approval_terms force row level security;
create policy tenant_isolation on approval_terms using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());
alter table approval_revisions enable row level security;
alter table approval_revisions force row level security;
create policy tenant_isolation on approval_revisions using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());

select bound.watch('approval_terms', array['approval_id'], '{}');
select bound.watch('approval_revisions', array['approval_id'], '{}');
