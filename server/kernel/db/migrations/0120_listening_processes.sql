-- PostgreSQL commits transactions that notify one after the other: each keeps a lock of the whole server until it has waited for the disk.
-- A process that is the only listener informs its own readers, and its transactions notify no one
-- (docs/decisions/0108-no-notifications-while-alone.md).

-- The processes that listen. Each registers before it listens.
create table listening_processes (
  id uuid primary key
);

-- Whether notifications of this transaction have a receiver other than its own process, which names itself in app.process_id. A process
-- that does not, such as one of an older version, notifies always. Volatile, to see each process that has registered by now.
create function others_listen() returns boolean
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce(current_setting('app.process_id', true), '') = ''
    or exists (select from public.listening_processes where id::text <> current_setting('app.process_id', true))
$$;

create function tell_others(channels text[], topics text[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if cardinality(channels) = 0 or not public.others_listen() then return; end if;
  for place in 1 .. cardinality(channels) loop
    perform pg_notify(channels[place], topics[place]);
  end loop;
end
$$;

-- The keeper's function below calls them, and a process of the version before may call it before this start has granted it.
do $$ begin
  if to_regrole(quote_ident(current_database() || '_keeper')) is not null then
    execute format('grant select on listening_processes to %I', current_database() || '_keeper');
  end if;
end $$;

-- As in 0103, with the notifications by tell_others.
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
  perform public.tell_others(channels, topics);
end
$$;
