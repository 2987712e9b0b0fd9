-- The admission of a caller whom the process has admitted before: succeeds if what admit_caller() finds is still what it found then
-- (`known`, a digest of that row). Otherwise it fails, and with it everything that its transaction sends afterwards. So the process need
-- not wait for it before it sends the rest of the transaction. Runs with the rights of its caller.
create function admit_known(
  wanted_external_id text, wanted_id uuid, principal_issuer text, principal_subject text,
  family_tenant_external_id text, family text, known text
) returns void
language plpgsql as $$
declare
  found_now text;
begin
  select encode(sha256(convert_to(a::text, 'UTF8')), 'base64') into found_now
  from admit_caller(wanted_external_id, wanted_id, principal_issuer, principal_subject, family_tenant_external_id, family) a;
  if found_now is distinct from known then
    raise exception using errcode = 'CS002', message = 'The caller is not the one that this process has admitted before';
  end if;
end
$$;
