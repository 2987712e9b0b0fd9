-- A hold and a removal of content meet at this lock (server/kernel/content/removing.ts): a removal takes it as its last step,
-- and checks then whether a hold was placed since it began. In the database, so that it also covers processes of the version
-- before. Partitions of spans belong to all tenants: dropping one excludes every new hold.
create function lock_holds() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('legal holds', 0));
  perform pg_advisory_xact_lock(hashtextextended(E'legal holds\n' || new.tenant_id, 0));
  return new;
end
$$;
create trigger lock_holds before insert on legal_holds for each row execute function lock_holds();

-- Records that contain encrypted values which can't be decrypted. An erasure can't search them, and finishes without them.
alter table erasures add column unreadable integer not null default 0;
select bound.watch('erasures', array['id'], array['subject']);
