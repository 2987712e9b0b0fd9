-- The log of closed days is signed from a tenant's first day on, while it is empty (docs/decisions/0077-the-first-day-of-a-log.md).
alter table audit_seal_checkpoints drop constraint audit_seal_checkpoints_size_check;
alter table audit_seal_checkpoints add constraint audit_seal_checkpoints_size_check check (size >= 0);
