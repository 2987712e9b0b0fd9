-- Keyed records and rows of the log (decision 0035). The process that acts writes a record whole and keys it; the database
-- gives only its place. append_records() of 0048 stays for processes of the version before.

-- What only a process with the tenant's key can write. Null in rows of versions before this one.
alter table audit_records add column mac bytea;
-- Of the day as it was closed, and of the state of the recurring check.
alter table audit_days add column mac bytea;
alter table audit_trees add column mac bytea;

-- Appends records to the tenant's log and sends the notices: one statement, which is sent together with the COMMIT. `moment` is
-- the time in each record, by the process's reading of this clock: a record belongs to its day, or to the next one if this
-- waited across midnight.
create function append_keyed_records(
  owner uuid, moment timestamptz, audit_ids uuid[], types text[], bodies text[], digests bytea[], macs bytea[],
  leaf_tails text[], nonces bytea[], channels text[], topics text[]
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  many constant integer := cardinality(audit_ids);
  day date;
  first integer;
begin
  if moment not between clock_timestamp() - interval '10 minutes' and clock_timestamp() + interval '1 minute' then
    raise exception 'The time of a record differs too much from the clock of the database: %', moment;
  end if;
  loop
    day := (greatest(clock_timestamp(), moment) at time zone 'UTC')::date;
    update public.audit_days set size = size + many
    where tenant_id = owner and date = day and sealed_at is null
    returning size - many into first;
    exit when found;
    -- The day's first record. Or midnight passed while this waited for the lock, and the day was sealed: the date is read again.
    insert into public.audit_days (tenant_id, date, size)
    values (owner, (greatest(clock_timestamp(), moment) at time zone 'UTC')::date, 0)
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

-- Closes a day that is over, with its mac. A closed day stays closed.
create function close_keyed_day(owner uuid, wanted date, moment timestamptz, made bytea) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update public.audit_days set sealed_at = moment, mac = made
  where tenant_id = owner and date = wanted and sealed_at is null
    and date < (clock_timestamp() at time zone 'UTC')::date;
end
$$;

-- Creates the days without a record between `first`, which the signer remembers, and today.
create function open_empty_days_from(owner uuid, first date) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into public.audit_days (tenant_id, date, size)
  select owner, day::date, 0
  from generate_series(first::timestamp, (clock_timestamp() at time zone 'UTC')::date - 1, interval '1 day') as day
  on conflict do nothing
$$;

-- Executable by whom server/kernel/db/roles.ts names, and by no one else.
revoke execute on function append_keyed_records(uuid, timestamptz, uuid[], text[], text[], bytea[], bytea[], text[], bytea[], text[], text[]) from public;
revoke execute on function close_keyed_day(uuid, date, timestamptz, bytea) from public;
revoke execute on function open_empty_days_from(uuid, date) from public;
