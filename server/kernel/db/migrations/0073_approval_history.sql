-- What a request is about, so that the requests before it can be found: of the same shape (the same action), and on the same
-- object (docs/decisions/0058-history-of-a-request.md). Keyed digests: the same text has the same value, and guesses can't be
-- tested without the tenant's key. The server fills in older requests, and those that an earlier version makes.
alter table approvals add column shape_digest text;
alter table approvals add column object_digest text;

create index approvals_by_shape on approvals (tenant_id, shape_digest, decided_at) where decided_at is not null;
create index approvals_by_object on approvals (tenant_id, object_digest, decided_at) where object_digest is not null;
create index approvals_without_shape on approvals (tenant_id, id)
  where shape_digest is null and not content_gone(payload);

select bound.watch('approvals', array['id'], array['payload', 'presentation']);
