-- As 0024: what approvers read, what decisions were asked, what came and went as events, files and mail. And texts that
-- others choose and that rows are found by are keyed digests from here on: nobody can try guesses on them.

alter table unsealed no force row level security;
alter table executions no force row level security;
alter table approvals no force row level security;
alter table policy_decisions no force row level security;
alter table input_events no force row level security;
alter table input_resolutions no force row level security;
alter table mails no force row level security;
alter table files no force row level security;
alter table idempotency_keys no force row level security;

insert into unsealed (tenant_id, kind, row_key, row_values)
  select tenant_id, 'execution', jsonb_build_object('id', id), jsonb_build_object('idempotency_key', idempotency_key)
  from executions where idempotency_key is not null;
insert into unsealed (tenant_id, kind, row_key, row_values)
  select tenant_id, 'approval', jsonb_build_object('id', id),
    jsonb_build_object('payload', payload::text, 'presentation', presentation::text)
  from approvals;
insert into unsealed (tenant_id, kind, row_key, row_values)
  select tenant_id, 'policy_decision', jsonb_build_object('id', id), jsonb_build_object('request', request::text)
  from policy_decisions;
insert into unsealed (tenant_id, kind, row_key, row_values)
  select tenant_id, 'input_event', jsonb_build_object('id', id), jsonb_build_object('identity', identity,
    'data', data::text, 'attributes', jsonb_build_object('idempotencyKey', idempotency_key, 'source', source,
      'id', event_id, 'type', type, 'subject', subject)::text)
  from input_events;
insert into unsealed (tenant_id, kind, row_key, row_values)
  select tenant_id, 'input_resolution', jsonb_build_object('id', id), jsonb_build_object('recipient', to_jsonb(recipient)::text)
  from input_resolutions where recipient is not null;
insert into unsealed (tenant_id, kind, row_key, row_values)
  select tenant_id, 'mail', jsonb_build_object('id', id),
    jsonb_build_object('message', jsonb_build_object('recipient', recipient, 'subject', subject, 'body', body)::text)
  from mails;
insert into unsealed (tenant_id, kind, row_key, row_values)
  select tenant_id, 'file', jsonb_build_object('id', id), jsonb_build_object('name', to_jsonb(name)::text)
  from files;
insert into unsealed (tenant_id, kind, row_key, row_values)
  select tenant_id, 'idempotency_key', jsonb_build_object('member_id', member_id, 'operation', operation, 'key', key),
    jsonb_build_object('key', key, 'fingerprint', fingerprint, 'response', response::text)
  from idempotency_keys;

alter table approvals drop column payload, drop column presentation, add column payload bytea, add column presentation bytea;
alter table policy_decisions drop column request, add column request bytea;
alter table input_events drop column data, drop column idempotency_key, drop column source, drop column event_id,
  drop column type, drop column subject, add column data bytea, add column attributes bytea;
alter table input_resolutions drop column recipient, add column recipient bytea;
alter table mails drop column recipient, drop column subject, drop column body, add column message bytea;
alter table files drop column name, add column name bytea;
alter table idempotency_keys drop column response, add column response bytea;

alter table approvals alter column payload set storage external, alter column presentation set storage external;
alter table policy_decisions alter column request set storage external;
alter table input_events alter column data set storage external;
alter table mails alter column message set storage external;
alter table idempotency_keys alter column response set storage external;

alter table unsealed force row level security;
alter table executions force row level security;
alter table approvals force row level security;
alter table policy_decisions force row level security;
alter table input_events force row level security;
alter table input_resolutions force row level security;
alter table mails force row level security;
alter table files force row level security;
alter table idempotency_keys force row level security;
