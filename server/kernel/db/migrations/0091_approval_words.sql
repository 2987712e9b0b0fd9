-- By which words requests are found (docs/decisions/0074-search.md): keyed hashes of beginnings of words, so that nothing can be read from
-- them, and guesses can't be tested without the tenant's key. 0: the words have to be read (again). The server does that for older requests,
-- for those that an earlier version makes, and after an erasure, which deletes the words in its own transaction.
create table approval_words (
  tenant_id uuid not null,
  word bigint not null,
  approval_id uuid not null,
  primary key (tenant_id, word, approval_id),
  foreign key (tenant_id, approval_id) references approvals (tenant_id, id)
);
create index approval_words_by_approval on approval_words (tenant_id, approval_id);

alter table approvals no force row level security;
insert into approval_words (tenant_id, word, approval_id) select tenant_id, 0, id from approvals;
alter table approvals force row level security;

alter table approval_words enable row level security;
alter table approval_words force row level security;
create policy tenant_isolation on approval_words using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());

-- By trigger, because processes of an earlier version don't know the table.
create function forget_approval_words() returns trigger
language plpgsql as $$
begin
  delete from approval_words where tenant_id = new.tenant_id and approval_id = new.id;
  insert into approval_words (tenant_id, word, approval_id) values (new.tenant_id, 0, new.id);
  return null;
end $$;
create trigger approval_words_of_new after insert on approvals for each row execute function forget_approval_words();
create trigger approval_words_of_changed after update of presentation on approvals
  for each row when (old.presentation is distinct from new.presentation) execute function forget_approval_words();
