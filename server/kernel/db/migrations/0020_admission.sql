-- Who calls, in one statement: the tenant by its names, the transaction bound to it, the caller's membership in it. It runs
-- with the rights of whoever calls it, so it sees what row-level security lets them see. No row: there is no such tenant;
-- a row without a member: the principal has no membership there.
create function admit(wanted_external_id text, wanted_id uuid, principal_issuer text, principal_subject text)
returns table (
  tenant_id uuid, slug text, external_id text, name text, tenant_display_name text, branding jsonb, settings jsonb,
  member_id uuid, kind text, username text, display_name text, roles text[], status text
)
language plpgsql as $$
declare
  found_tenant tenants%rowtype;
begin
  select * into found_tenant from tenants t
  where (wanted_external_id is not null or wanted_id is not null)
    and (wanted_external_id is null or t.external_id = wanted_external_id)
    and (wanted_id is null or t.id = wanted_id);
  if not found then return; end if;
  perform set_config('app.tenant_id', found_tenant.id::text, true);
  return query
    select found_tenant.id, found_tenant.slug, found_tenant.external_id, found_tenant.name, found_tenant.display_name,
      found_tenant.branding, found_tenant.settings, m.id, m.kind, m.username, m.display_name, m.roles, m.status
    from (values (1)) as one (one)
    left join members m
      on m.tenant_id = found_tenant.id and m.issuer = principal_issuer and m.subject = principal_subject;
end
$$;
