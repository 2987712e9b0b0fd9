-- The newest token of a member is keyed (docs/decisions/0099-keyed-tokens.md): a mac under the tenant's key, over when it was issued and
-- the groups that it names. A row without one says nothing: the next request with the token writes it again.
alter table member_tokens add column mac bytea;

-- A process of an earlier version changes a row without its mac.
create function forget_token_mac() returns trigger language plpgsql as $$
begin
  if new.mac is not distinct from old.mac and (new.issued_at, new.groups) is distinct from (old.issued_at, old.groups) then
    new.mac := null;
  end if;
  return new;
end
$$;
create trigger forget_mac before update on member_tokens for each row execute function forget_token_mac();

-- As in 0098, but for a keyed row alone.
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
  return next;
end
$$;
