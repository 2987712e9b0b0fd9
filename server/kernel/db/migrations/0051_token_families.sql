-- admit() of 0021, which also checks that the sign-in of a token has not ended: its grant, one of the realm_artifacts of the
-- tenant whose realm issued the token. Like the first one it runs with the rights of its caller. The first one stays, for
-- processes that were started before this migration.
create function admit(
  wanted_external_id text, wanted_id uuid, principal_issuer text, principal_subject text,
  family_tenant_external_id text, family text
)
returns table (
  tenant_id uuid, slug text, external_id text, name text, tenant_display_name text, branding jsonb, settings jsonb,
  member_id uuid, kind text, username text, display_name text, roles text[], status text,
  tokens_not_before timestamptz, family_ended boolean
)
language plpgsql as $$
declare
  found_tenant tenants%rowtype;
  family_tenant uuid;
  ended boolean := false;
begin
  select * into found_tenant from tenants t
  where (wanted_external_id is not null or wanted_id is not null)
    and (wanted_external_id is null or t.external_id = wanted_external_id)
    and (wanted_id is null or t.id = wanted_id);
  if not found then return; end if;
  if family is not null then
    select t.id into family_tenant from tenants t where t.external_id = family_tenant_external_id;
    perform set_config('app.tenant_id', coalesce(family_tenant::text, ''), true);
    ended := not exists (
      select from realm_artifacts a
      where a.tenant_id = family_tenant and a.model = 'Grant' and a.id = family
        and (a.expires_at is null or a.expires_at > now())
    );
  end if;
  perform set_config('app.tenant_id', found_tenant.id::text, true);
  return query
    select found_tenant.id, found_tenant.slug, found_tenant.external_id, found_tenant.name, found_tenant.display_name,
      found_tenant.branding, found_tenant.settings, m.id, m.kind, m.username, m.display_name, m.roles, m.status,
      m.tokens_not_before, ended
    from (values (1)) as one (one)
    left join members m
      on m.tenant_id = found_tenant.id and m.issuer = principal_issuer and m.subject = principal_subject;
end
$$;
