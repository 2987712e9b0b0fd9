-- As in 0108, with the member as of after their newest token was read. Statements of a function see what commits between them: the token
-- of a change that has just committed looked as if it had nothing new to say, next to the roles of before it.
create or replace function admit_caller(
  wanted_external_id text, wanted_id uuid, principal_issuer text, principal_subject text,
  family_tenant_external_id text, family text
)
returns table (
  tenant_id uuid, slug text, external_id text, name text, tenant_display_name text, branding jsonb, settings jsonb,
  member_id uuid, kind text, username text, display_name text, roles text[], status text,
  tokens_not_before timestamptz, family_ended boolean, token_issued_at timestamptz
)
language plpgsql as $$
begin
  select a.tenant_id, a.slug, a.external_id, a.name, a.tenant_display_name, a.branding, a.settings, a.member_id, a.kind,
    a.username, a.display_name, a.roles, a.status, a.tokens_not_before, a.family_ended
  into tenant_id, slug, external_id, name, tenant_display_name, branding, settings, member_id, kind,
    username, display_name, roles, status, tokens_not_before, family_ended
  from admit(wanted_external_id, wanted_id, principal_issuer, principal_subject, family_tenant_external_id, family) a;
  if not found then return; end if;
  select t.issued_at into token_issued_at from member_tokens t
  where t.tenant_id = admit_caller.tenant_id and t.member_id = admit_caller.member_id and t.mac is not null;
  if found then
    select m.roles, m.status, m.tokens_not_before into roles, status, tokens_not_before from members m
    where m.tenant_id = admit_caller.tenant_id and m.id = admit_caller.member_id;
  end if;
  return next;
end
$$;
