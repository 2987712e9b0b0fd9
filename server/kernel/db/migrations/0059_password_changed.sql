-- The notice to a person whose password was changed.
alter table mails drop constraint mails_kind_check;
alter table mails add constraint mails_kind_check
  check (kind in ('approval_request', 'input_request', 'sign_in_link', 'password_changed'));
