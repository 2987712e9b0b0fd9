-- Stores an input event that no wait expects yet: the usual outcome, whose rows and records the process knows in advance. Otherwise it
-- writes nothing and returns 'awaited' or 'duplicate', and the process continues statement by statement. Runs with the rights of its
-- caller.
create function accept_event(
  owner uuid, event uuid, event_identity text, event_fingerprint text, execution uuid, name text, content bytea, described bytea,
  sender uuid, moment timestamptz, until timestamptz
) returns text
language plpgsql as $$
begin
  if exists (
    select from input_waits w where w.tenant_id = owner and w.execution_id = execution and w.input_name = name
  ) then
    return 'awaited';
  end if;
  begin
    insert into input_events
      (tenant_id, id, identity, fingerprint, execution_id, input_name, data, attributes, status, submitted_by, received_at, expires_at)
    values
      (owner, event, event_identity, event_fingerprint, execution, name, content, described, 'received', sender, moment, until)
    on conflict (tenant_id, identity) do nothing;
    -- Without the lock, because many duplicates would each hold it until commit.
    if not found then return 'duplicate'; end if;
    -- The lock of server/inputs/store.ts (lockInputs): a wait that opens at the same moment has opened before, or finds this event.
    perform pg_advisory_xact_lock(hashtextextended('inputs ' || owner || ' ' || execution, 0));
    if exists (
      select from input_waits w where w.tenant_id = owner and w.execution_id = execution and w.input_name = name
    ) then
      raise exception using errcode = 'CS001', message = 'A wait for this event has opened in the meantime';
    end if;
  exception when sqlstate 'CS001' then
    -- The event is not stored.
    return 'awaited';
  end;
  return 'done';
end
$$;
