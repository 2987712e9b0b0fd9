-- Exports of one agent, execution or approval, with their progress, and archives that end
-- (docs/decisions/0039-where-archives-are-made-and-kept.md).

alter table evidence_exports
  -- {"agentId": …}, {"executionId": …} or {"approvalId": …}; null: everything in the period.
  add column scope jsonb,
  -- Whom or what the archive is for, in the words of the requester.
  add column purpose text,
  -- Counts the claims of workers. A run that finds a later number than its own stops.
  add column run integer not null default 0,
  -- {stage, unit, done, total} of the run in progress, and when each stage began.
  add column progress jsonb,
  add column stages jsonb not null default '[]',
  add column poll_timeout_ms integer not null default 300000,
  add column archive_sha256 text,
  -- Where the store keeps the archive, also while it is being stored. Null for archives from before this migration, which
  -- lie in the folder of their tenant under the id of the export.
  add column archive_place text,
  -- Why and since when the archive is gone, and whether the store has deleted it.
  add column archive_gone text check (archive_gone in ('retention_expired', 'erased')),
  add column archive_gone_at timestamptz,
  add column archive_deleted_at timestamptz,
  drop constraint evidence_exports_status_check,
  add constraint evidence_exports_status_check check (status in ('queued', 'preflight', 'collecting', 'sealing',
    'verifying', 'completed', 'completed_with_omissions', 'failed', 'canceled'));

-- The archives to delete by age, and those whose deletion a crash interrupted.
create index evidence_exports_by_end on evidence_exports (tenant_id, ended_at)
  where archive_name is not null and archive_deleted_at is null;
