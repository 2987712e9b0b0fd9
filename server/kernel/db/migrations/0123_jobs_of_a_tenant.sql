-- Jobs have their tenant as the group of the library, so that a process can look past those of a tenant that has its share of the slots
-- (docs/decisions/0114-a-share-of-the-slots.md). This is take_job of migration 0119 with the group.
create or replace function take_job(job uuid, queue_name text, content jsonb, singleton text) returns void
language plpgsql as $$
begin
  insert into pgboss.job_common (id, name, data, priority, start_after, created_on, singleton_key, group_id, expire_seconds,
    deletion_seconds, keep_until, retry_limit, retry_delay, retry_backoff, retry_delay_max, policy, dead_letter, heartbeat_seconds,
    blocked, blocking, pending_dependencies, state, started_on, heartbeat_on)
  select job, queue.name, content, 0, at.now, at.now, singleton, content ->> 'tenantId', queue.expire_seconds, queue.deletion_seconds,
    at.now + queue.retention_seconds * interval '1s', queue.retry_limit, queue.retry_delay, coalesce(queue.retry_backoff, false),
    queue.retry_delay_max, queue.policy, queue.dead_letter, queue.heartbeat_seconds, false, false, 0, 'active', at.now, at.now
  from pgboss.queue queue, (select pgboss.job_now() as now) at
  where queue.name = queue_name;
end
$$;
