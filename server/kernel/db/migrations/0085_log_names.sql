-- After a restore the log continues under a new name (docs/decisions/0067-backup-and-restore.md). A log key signs under the name
-- that it was created with, which is also part of the context that its private key is encrypted in. Null: the name has no such part.
alter table signing_keys add column log_name text check (log_name ~ '^restored-[0-9a-f]{12}$');
