-- A transaction that is bound to a tenant reads that tenant's row of the directory and no other one, except those of the
-- principal whose memberships it reads (tenants.list). Only a transaction without a tenant reads the directory as a whole:
-- it finds the tenant of a request, or goes through all tenants.
drop policy tenants_directory on tenants;
create policy tenants_directory on tenants for select using (
  id = app_tenant() or app_tenant() is null
  or exists (select from members m where m.tenant_id = tenants.id
    and m.issuer = app_principal_issuer() and m.subject = app_principal_subject())
);
