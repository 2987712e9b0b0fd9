-- Appends records to the tenant's log of today, and tells whoever listens: one statement, which goes out together with the
-- COMMIT, so that the lock on the day is held no longer than it takes to commit. The caller has everything that a record is
-- hashed from but its place and its moment: `heads` and `tails` are its canonical JSON before and after the moment,
-- `leaf_tails` what follows the place in the leaf's. server/kernel/audit/record.ts says what the bytes are, and a test holds
-- the two together. It runs with the rights of whoever calls it.
create function append_audit(
  owner uuid, audit_ids uuid[], types text[], heads text[], tails text[], leaf_tails text[], nonces bytea[],
  channels text[], topics text[]
) returns void
language plpgsql as $$
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
    update audit_days set size = size + many
    where tenant_id = owner and date = (clock_timestamp() at time zone 'UTC')::date and sealed_at is null
    returning date, size - many into day, first;
    exit when found;
    -- The day's first record. Or midnight passed while this waited for the lock, and the day was sealed: the date is read anew.
    insert into audit_days (tenant_id, date, size) values (owner, (clock_timestamp() at time zone 'UTC')::date, 0)
    on conflict (tenant_id, date) do nothing;
  end loop;
  moment := date_trunc('milliseconds', clock_timestamp());
  written := to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  for place in 1 .. many loop
    body := heads[place] || written || tails[place];
    body_digest := sha256('agcp.audit.record.v1\012'::bytea || nonces[place] || convert_to(body, 'UTF8'));
    insert into audit_records (tenant_id, date, seq, audit_id, type, record, nonce, digest, leaf_hash, created_at)
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
