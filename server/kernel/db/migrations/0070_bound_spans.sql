-- The spans of executions are bound to the audit log, as other rows are (decision 0052). Those of telemetry are proven by the
-- leaves of their request, and arrive by the thousand: the triggers don't fire for them. So these are triggers for each row,
-- and a span of telemetry that an execution's span replaces is noted as a new row.
create function bound.spans() returns trigger language plpgsql as $$
declare
  note jsonb;
begin
  if tg_op = 'INSERT' then
    note := jsonb_build_object('k', jsonb_build_array(new.day::text, new.trace_id, new.span_id));
  else
    note := jsonb_build_object('k', jsonb_build_array(old.day::text, old.trace_id, old.span_id));
    if old.origin = 'execution' then
      -- Encrypted values are in the state as the commitments of the attributes.
      note := note || jsonb_build_object('o', to_jsonb(old) - '{tenant_id,sealed,fingerprint}'::text[]);
    end if;
  end if;
  perform set_config('app.touched_spans', coalesce(current_setting('app.touched_spans', true), '') || note::text || ',', true);
  return null;
end
$$;
create trigger note_inserted after insert on spans for each row when (new.origin = 'execution')
  execute function bound.spans();
create trigger note_updated after update on spans for each row when (old.origin = 'execution' or new.origin = 'execution')
  execute function bound.spans();
create trigger note_deleted after delete on spans for each row when (old.origin = 'execution')
  execute function bound.spans();

-- For the comparison of all of them, and for their retention: most spans are those of telemetry.
create index spans_of_executions on spans (tenant_id, day, trace_id, span_id) where origin = 'execution';
