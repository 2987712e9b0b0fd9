-- Questions of reviewers about a request, and the answers of the people who made it (docs/decisions/0060-questions.md). Like the
-- reasons of votes, they are kept with the log.
create table approval_questions (
  tenant_id uuid not null references tenants,
  approval_id uuid not null,
  id uuid not null,
  asked_by uuid not null,
  question text not null,
  audit_id uuid not null,
  asked_at timestamptz not null default clock_timestamp(),
  answered_by uuid,
  answer text,
  answer_audit_id uuid,
  answered_at timestamptz,
  primary key (tenant_id, approval_id, id),
  foreign key (tenant_id, approval_id) references approvals (tenant_id, id),
  check ((answer is null) = (answered_at is null) and (answer is null) = (answered_by is null)
    and (answer is null) = (answer_audit_id is null))
);
alter table approval_questions enable row level security;
alter table approval_questions force row level security;
create policy tenant_isolation on approval_questions using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());

select bound.watch('approval_questions', array['approval_id', 'id'], '{}');
