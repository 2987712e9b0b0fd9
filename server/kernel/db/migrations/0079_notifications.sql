-- Channels of a tenant to the outside, and what was sent over them (docs/decisions/0063-notification-channels.md). `endpoint` has the
-- address and the live secrets, encrypted with the tenant's key. A delivery names what it is about; its text is made when it is sent.
create table notification_channels (
  tenant_id uuid not null references tenants,
  id uuid not null,
  kind text not null check (kind in ('webhook', 'slack', 'teams')),
  name text not null,
  events jsonb not null,
  endpoint bytea not null,
  host text not null,
  status text not null default 'active' check (status in ('active', 'disabled')),
  disabled_reason text,
  created_by uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  revision integer not null default 1,
  primary key (tenant_id, id),
  unique (tenant_id, name)
);
create table notification_deliveries (
  tenant_id uuid not null references tenants,
  id uuid not null,
  channel_id uuid not null,
  event text not null,
  subject_id text not null,
  -- What the subject itself does not say: the outcome, which reminder.
  facts jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  delivery text not null default 'pending' check (delivery in ('pending', 'in_flight', 'delivered', 'failed', 'unknown')),
  attempts integer not null default 0,
  error text,
  -- Since when it is tried, and how often it was before: a person who sends it again begins anew.
  tried_since timestamptz not null default clock_timestamp(),
  tried_before integer not null default 0,
  settled_at timestamptz,
  revision integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, channel_id) references notification_channels (tenant_id, id) on delete cascade
);
create index notification_deliveries_by_channel on notification_deliveries (tenant_id, channel_id, id);
create index notification_deliveries_by_delivery on notification_deliveries (tenant_id, delivery, id);

alter table notification_channels enable row level security;
alter table notification_channels force row level security;
create policy tenant_isolation on notification_channels using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());
alter table notification_deliveries enable row level security;
alter table notification_deliveries force row level security;
create policy tenant_isolation on notification_deliveries using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());
