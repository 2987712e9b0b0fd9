-- admit() of 0020, which also says from when on tokens of the member are good: no further statement for it.
drop function admit(text, uuid, text, text);
create function admit(wanted_external_id text, wanted_id uuid, principal_issuer text, principal_subject text)
returns table (
  tenant_id uuid, slug text, external_id text, name text, tenant_display_name text, branding jsonb, settings jsonb,
  member_id uuid, kind text, username text, display_name text, roles text[], status text,
  tokens_not_before timestamptz
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
      found_tenant.branding, found_tenant.settings, m.id, m.kind, m.username, m.display_name, m.roles, m.status,
      m.tokens_not_before
    from (values (1)) as one (one)
    left join members m
      on m.tenant_id = found_tenant.id and m.issuer = principal_issuer and m.subject = principal_subject;
end
$$;
