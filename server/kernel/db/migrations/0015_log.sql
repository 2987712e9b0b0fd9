-- The trees of the audit log as hash tiles (c2sp.org/tlog-tiles), and the log of sealed days.

-- log: 'seals', or the day as YYYY-MM-DD.
create table audit_trees (
  tenant_id uuid not null references tenants,
  log text not null check (log = 'seals' or log ~ '^\d{4}-\d\d-\d\d$'),
  -- Leaves that lie in tiles; what was appended since is not taken up yet.
  size integer not null default 0 check (size >= 0),
  -- When everything of this log was last read again, and since when it contradicts what was signed.
  checked_at timestamptz,
  broken_at timestamptz,
  broken_reason text,
  primary key (tenant_id, log)
);

-- A tile only ever grows, to at most 256 hashes of 32 bytes.
create table audit_tiles (
  tenant_id uuid not null references tenants,
  log text not null check (log = 'seals' or log ~ '^\d{4}-\d\d-\d\d$'),
  level smallint not null check (level between 0 and 63),
  tile integer not null check (tile >= 0),
  hashes bytea not null check (octet_length(hashes) between 32 and 8192 and octet_length(hashes) % 32 = 0),
  primary key (tenant_id, log, level, tile)
);
-- Hashes do not compress: don't try.
alter table audit_tiles alter column hashes set storage external;

-- One leaf of the seal log for each closed day: the text of its last checkpoint.
create table audit_seals (
  tenant_id uuid not null,
  seq integer not null check (seq >= 0),
  date date not null,
  entry text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, seq),
  unique (tenant_id, date),
  foreign key (tenant_id, date) references audit_days (tenant_id, date)
);

create table audit_seal_checkpoints (
  tenant_id uuid not null references tenants,
  size integer not null check (size > 0),
  root bytea not null,
  note text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, size)
);

-- What witnesses signed under checkpoints of the seal log: a signature line each (c2sp.org/tlog-cosignature).
create table audit_cosignatures (
  tenant_id uuid not null,
  size integer not null,
  witness text not null,
  line text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, size, witness),
  foreign key (tenant_id, size) references audit_seal_checkpoints (tenant_id, size)
);

-- audit.list with a filter stays a keyset read.
create index audit_records_by_type on audit_records (tenant_id, type, date, seq);
create index audit_records_by_actor on audit_records (tenant_id, (record -> 'actor' ->> 'id'), date, seq);
create index audit_records_by_resource on audit_records (tenant_id, (record -> 'resource' ->> 'id'), date, seq);

do $$
declare t text;
begin
  foreach t in array array['audit_trees', 'audit_tiles', 'audit_seals', 'audit_seal_checkpoints', 'audit_cosignatures']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant_isolation on %I using (tenant_id = app_tenant()) with check (tenant_id = app_tenant())', t);
  end loop;
end $$;
