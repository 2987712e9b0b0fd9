-- Demo tenants and their clock (decision 0095). A demo tenant's clock starts behind, only catches up, and is then the ordinary
-- one. The owner's role creates it and moves it; the application's role can do neither.

alter table tenants
  add column demo_from timestamptz,
  add column clock_behind interval,
  -- The external id is in every leaf and every checkpoint, so what a demo tenant signs says that it is one. Not valid: rows of
  -- versions before are not read, and none of them has the prefix.
  add constraint demo_by_name check (
    (external_id like 'countersign-demo.%') = (demo_from is not null) and (demo_from is null) = (clock_behind is null)
  ) not valid;

create function keep_demo_clock() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    if new.demo_from is null and new.clock_behind is null then return new; end if;
    if not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
      raise exception 'Only the owner of the database creates a demo tenant';
    end if;
    if new.clock_behind not between interval '0' and interval '15 days' then
      raise exception 'The clock of a demo tenant starts at most 15 days ago';
    end if;
    new.demo_from := clock_timestamp() - new.clock_behind;
    return new;
  end if;
  if new.demo_from is distinct from old.demo_from or (new.clock_behind is null) <> (old.clock_behind is null)
    or (old.demo_from is not null and new.external_id <> old.external_id) then
    raise exception 'A tenant becomes or stays a demo tenant only by its creation';
  end if;
  if new.clock_behind > old.clock_behind or new.clock_behind < interval '0' then
    raise exception 'The clock of a demo tenant only moves forward, until it is the ordinary clock';
  end if;
  return new;
end
$$;
create trigger keep_demo_clock before insert or update on tenants for each row execute function keep_demo_clock();

-- Called by the owner: it adds no right to the caller's.
create function move_demo_clock(wanted uuid, behind interval) returns void language sql begin atomic
  update tenants set clock_behind = behind where id = wanted;
end;

-- The time in the tenant's log. Without a demo tenant of this id: the clock of the database.
create function tenant_clock(owner uuid) returns timestamptz
language sql volatile set search_path = pg_catalog, pg_temp as $$
  select clock_timestamp() - coalesce((select clock_behind from public.tenants where id = owner), interval '0')
$$;

-- The keeper's functions below read it, and a process of the version before may call them before this start has granted it.
do $$ begin
  if to_regrole(quote_ident(current_database() || '_keeper')) is not null then
    -- The policy on tenants reads members.
    execute format('grant select on tenants, members to %I', current_database() || '_keeper');
  end if;
end $$;

-- As in 0060, by the tenant's clock.
create or replace function append_keyed_records(
  owner uuid, moment timestamptz, audit_ids uuid[], types text[], bodies text[], digests bytea[], macs bytea[],
  leaf_tails text[], nonces bytea[], channels text[], topics text[]
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  many constant integer := cardinality(audit_ids);
  day date;
  behind constant interval := coalesce((select clock_behind from public.tenants where id = owner), interval '0');
  first integer;
begin
  if moment not between clock_timestamp() - behind - interval '10 minutes' and clock_timestamp() - behind + interval '1 minute' then
    raise exception 'The time of a record differs too much from the clock of the database: %', moment;
  end if;
  loop
    day := (greatest(clock_timestamp() - behind, moment) at time zone 'UTC')::date;
    update public.audit_days set size = size + many
    where tenant_id = owner and date = day and sealed_at is null
    returning size - many into first;
    exit when found;
    -- The day's first record. Or midnight passed while this waited for the lock, and the day was sealed: the date is read again.
    insert into public.audit_days (tenant_id, date, size)
    values (owner, (greatest(clock_timestamp() - behind, moment) at time zone 'UTC')::date, 0)
    on conflict (tenant_id, date) do nothing;
  end loop;
  for place in 1 .. many loop
    insert into public.audit_records (tenant_id, date, seq, audit_id, type, record, nonce, digest, leaf_hash, created_at, mac)
    values (owner, day, first + place - 1, audit_ids[place], types[place], bodies[place]::jsonb, nonces[place], digests[place],
      sha256('\x00'::bytea || convert_to('{"auditId":"' || audit_ids[place] || '","date":"' || to_char(day, 'YYYY-MM-DD')
        || '","digest":"sha256:' || encode(digests[place], 'hex') || '","seq":' || (first + place - 1) || leaf_tails[place], 'UTF8')),
      moment, macs[place]);
  end loop;
  for place in 1 .. cardinality(channels) loop
    perform pg_notify(channels[place], topics[place]);
  end loop;
end
$$;

create or replace function close_keyed_day(owner uuid, wanted date, moment timestamptz, made bytea) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update public.audit_days set sealed_at = moment, mac = made
  where tenant_id = owner and date = wanted and sealed_at is null
    and date < (public.tenant_clock(owner) at time zone 'UTC')::date;
end
$$;

create or replace function open_empty_days_from(owner uuid, first date) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into public.audit_days (tenant_id, date, size)
  select owner, day::date, 0
  from generate_series(first::timestamp, (public.tenant_clock(owner) at time zone 'UTC')::date - 1, interval '1 day') as day
  on conflict do nothing
$$;

-- The clock of the transaction's process: a process that fills a demo tenant sets how far it is behind, and finds these
-- functions before those of PostgreSQL. What protects the log is above: it does not read this setting.
create schema clock;
grant usage on schema clock to public;
create function clock.behind() returns interval language sql stable
  return coalesce(nullif(pg_catalog.current_setting('app.clock_behind', true), '')::interval, interval '0');
create function clock.now() returns timestamptz language sql stable
  return pg_catalog.now() - clock.behind();
create function clock.clock_timestamp() returns timestamptz language sql volatile
  return pg_catalog.clock_timestamp() - clock.behind();
create function clock.statement_timestamp() returns timestamptz language sql stable
  return pg_catalog.statement_timestamp() - clock.behind();

do $$
declare
  found record;
begin
  for found in
    select c.oid::regclass as relation, a.attname as name, pg_get_expr(d.adbin, d.adrelid) as expression
    from pg_attrdef d
    join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
    join pg_class c on c.oid = d.adrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'schema_migrations'
      and pg_get_expr(d.adbin, d.adrelid) ~ '\m(now|clock_timestamp)\(\)'
    order by c.relname, a.attname
  loop
    execute format('alter table %s alter column %I set default %s', found.relation, found.name,
      regexp_replace(found.expression, '\m(now|clock_timestamp)\(\)', 'clock.\1()', 'g'));
  end loop;
end
$$;
