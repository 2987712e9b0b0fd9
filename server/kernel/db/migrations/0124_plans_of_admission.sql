-- The admission of a caller, planned once. As in 0051 and 0109, but for two things. The tenant is found by one of two statements: one for both
-- names reads the whole table unless it is planned for its values. And the functions keep one plan for all values: PostgreSQL expected the
-- plans for given values to be a little cheaper, and made them at each call, which took half of its time for a query. Each statement finds
-- rows by a key. What admit_caller() calls has its setting.
create or replace function admit(
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
  if wanted_id is not null then
    select * into found_tenant from tenants t
    where t.id = wanted_id and (wanted_external_id is null or t.external_id = wanted_external_id);
  else
    select * into found_tenant from tenants t where t.external_id = wanted_external_id;
  end if;
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
alter function admit_caller(text, uuid, text, text, text, text) set plan_cache_mode = force_generic_plan;
alter function admit_known(text, uuid, text, text, text, text, text) set plan_cache_mode = force_generic_plan;
