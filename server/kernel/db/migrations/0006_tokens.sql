-- Access tokens that were issued before are refused: the password was reset, or the membership suspended or removed.
alter table members add column tokens_not_before timestamptz;

drop trigger members_changed on members;
create trigger members_changed after update of status, roles, tokens_not_before on members for each row
  when (
    old.status is distinct from new.status or old.roles is distinct from new.roles
    or old.tokens_not_before is distinct from new.tokens_not_before
  )
  execute function notify_member();
