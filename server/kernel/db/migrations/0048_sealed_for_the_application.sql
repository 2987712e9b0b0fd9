-- What the application's role may no longer write itself: the audit log, its days and its tiles, and the release of a legal
-- hold. These functions run with the rights of their owner, the role <database>_keeper, to which row-level security applies
-- as to every other role (server/kernel/db/roles.ts gives them to it). They accept only what continues what is stored.
-- append_audit() stays for processes of the version before, which call it with rights of their own.

-- append_audit() of 0031, with the same arguments and the same bytes.
create function append_records(
  owner uuid, audit_ids uuid[], types text[], heads text[], tails text[], leaf_tails text[], nonces bytea[],
  channels text[], topics text[]
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  many constant integer := cardinality(audit_ids);
  day date;
  first integer;
  moment timestamptz;
  written text;
  body text;
  body_digest bytea;
begin
  loop
    update public.audit_days set size = size + many
    where tenant_id = owner and date = (clock_timestamp() at time zone 'UTC')::date and sealed_at is null
    returning date, size - many into day, first;
    exit when found;
    -- The day's first record. Or midnight passed while this waited for the lock, and the day was sealed: the date is read anew.
    insert into public.audit_days (tenant_id, date, size) values (owner, (clock_timestamp() at time zone 'UTC')::date, 0)
    on conflict (tenant_id, date) do nothing;
  end loop;
  moment := date_trunc('milliseconds', clock_timestamp());
  written := to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  for place in 1 .. many loop
    body := heads[place] || written || tails[place];
    body_digest := sha256('agcp.audit.record.v1\012'::bytea || nonces[place] || convert_to(body, 'UTF8'));
    insert into public.audit_records (tenant_id, date, seq, audit_id, type, record, nonce, digest, leaf_hash, created_at)
    values (owner, day, first + place - 1, audit_ids[place], types[place], body::jsonb, nonces[place], body_digest,
      sha256('\x00'::bytea || convert_to('{"auditId":"' || audit_ids[place] || '","date":"' || to_char(day, 'YYYY-MM-DD')
        || '","digest":"sha256:' || encode(body_digest, 'hex') || '","seq":' || (first + place - 1) || leaf_tails[place], 'UTF8')),
      moment);
  end loop;
  for place in 1 .. cardinality(channels) loop
    perform pg_notify(channels[place], topics[place]);
  end loop;
end
$$;

-- Creates the days without a record between the tenant's first one and today.
create function open_empty_days(owner uuid) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into public.audit_days (tenant_id, date, size)
  select owner, day::date, 0
  from generate_series(
    (select min(known.date) from public.audit_days known where known.tenant_id = owner)::timestamp,
    (clock_timestamp() at time zone 'UTC')::date - 1, interval '1 day') as day
  on conflict do nothing
$$;

-- Keeps appenders of that day waiting until commit.
create function lock_day(owner uuid, wanted date)
returns table (date date, size integer, sealed_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query select d.date, d.size, d.sealed_at from public.audit_days d
    where d.tenant_id = owner and d.date = wanted for update;
end
$$;

-- Closes a day that is over. A closed day stays closed.
create function close_day(owner uuid, wanted date) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update public.audit_days set sealed_at = clock_timestamp()
  where tenant_id = owner and date = wanted and sealed_at is null
    and date < (clock_timestamp() at time zone 'UTC')::date;
end
$$;

-- Writes tiles. A tile that exists only grows: it keeps its hashes. One that is as long or longer stays as it is. False: a
-- stored tile contains other hashes.
create function grow_tiles(owner uuid, log_name text, levels integer[], places integer[], grown bytea[]) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  kept bytea;
begin
  for at in 1 .. cardinality(levels) loop
    insert into public.audit_tiles as t (tenant_id, log, level, tile, hashes)
    values (owner, log_name, levels[at], places[at], grown[at])
    on conflict (tenant_id, log, level, tile) do update set hashes = excluded.hashes
      where octet_length(t.hashes) < octet_length(excluded.hashes)
        and substring(excluded.hashes for octet_length(t.hashes)) = t.hashes;
    continue when found;
    select t.hashes into kept from public.audit_tiles t
    where t.tenant_id = owner and t.log = log_name and t.level = levels[at] and t.tile = places[at];
    if kept is null or octet_length(kept) < octet_length(grown[at]) then return false; end if;
  end loop;
  return true;
end
$$;

-- Releases a legal hold, once. Returns its new revision; null: it has another revision, or has been released.
create function release_hold(owner uuid, hold uuid, known integer, releaser uuid, why text) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  changed integer;
begin
  update public.legal_holds
  set revision = revision + 1, released_by = releaser, released_at = now(), release_reason = why
  where tenant_id = owner and id = hold and revision = known and released_at is null
  returning revision into changed;
  return changed;
end
$$;

-- Executable by whom server/kernel/db/roles.ts names, and by no one else.
revoke execute on function append_records(uuid, uuid[], text[], text[], text[], text[], bytea[], text[], text[]) from public;
revoke execute on function open_empty_days(uuid) from public;
revoke execute on function lock_day(uuid, date) from public;
revoke execute on function close_day(uuid, date) from public;
revoke execute on function grow_tiles(uuid, text, integer[], integer[], bytea[]) from public;
revoke execute on function release_hold(uuid, uuid, integer, uuid, text) from public;
