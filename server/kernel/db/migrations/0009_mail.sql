-- Mail that leaves the product: written in the transaction that causes it, sent by the worker role.
create table mails (
  tenant_id uuid not null references tenants,
  id uuid not null,
  -- What it tells of: an approval that is asked for, or a wait that asks a person for input.
  kind text not null check (kind in ('approval_request', 'input_request')),
  subject_id uuid not null,
  member_id uuid,
  recipient text not null,
  subject text not null,
  body text not null,
  -- in_flight: a worker may be talking to the SMTP server. unknown: the message was handed over, and no answer came; only
  -- a person sends it again.
  delivery text not null check (delivery in ('pending', 'in_flight', 'delivered', 'failed', 'unknown')),
  attempts integer not null default 0,
  error text,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, member_id) references members (tenant_id, id)
);
create index mails_by_subject on mails (tenant_id, subject_id);

alter table mails enable row level security;
alter table mails force row level security;
create policy tenant_isolation on mails using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());
