/** The pending work in a queue of this process. */
export type QueueNews = {
  name: string
  /** A job is due, and no other job with its id is running. */
  due: boolean
  /** The heartbeat of a job's worker has stopped. */
  lost: boolean
}

/**
 * One statement for all queues ($1, names): an idle process runs no other. The library takes no job with an id that it
 * considers to be running. It reads that from `singletons_active`, which is updated here when it has changed. Each part
 * uses an index on its state.
 */
export const queueNewsText = `
  with running as (
    select job.name, array_agg(job.singleton_key order by job.singleton_key) as keys,
      bool_or(job.heartbeat_on + job.heartbeat_seconds * interval '1 second' < pgboss.job_now()) as lost
    from pgboss.job_common job
    where job.name = any($1::text[]) and job.state = 'active' and job.policy = 'singleton'
    group by job.name
  ), stale as (
    select queue.name, running.keys
    from pgboss.queue queue left join running on running.name = queue.name
    where queue.name = any($1::text[]) and queue.singletons_active is distinct from running.keys
    order by queue.name
    for no key update of queue skip locked
  ), refreshed as (
    update pgboss.queue queue set singletons_active = stale.keys from stale where queue.name = stale.name
  )
  select * from (
    select queue.name, coalesce(running.lost, false) as lost,
      exists (
        select 1 from pgboss.job_common job
        where job.name = queue.name and job.state < 'active' and not job.blocked and job.start_after <= pgboss.job_now()
          and (running.keys is null or job.singleton_key <> all(running.keys))
      ) as due
    from unnest($1::text[]) as queue (name) left join running on running.name = queue.name
  ) as news
  where due or lost`

/** Stores a job that the process which enqueues it has taken: its id, queue, data and singleton key (migration 0125). */
export const takenJobText = 'select store_job($1, $2, $3, $4, true)'

/** Ends the job $2 of the queue $1, if its attempt $3 still runs (migration 0125). */
export const endedJobText = 'select end_job($1, $2, $3)'

/** Unfinished jobs of all tenants by queue and state, and how long the oldest that is due has waited. */
export const queueDepthsText = `
  select name as queue,
    case state when 'created' then 'waiting' when 'active' then 'running' else 'retrying' end as state,
    count(*)::int as jobs,
    coalesce(extract(epoch from now() - min(start_after) filter (where start_after <= now())), 0)::float8 as "oldestDueSeconds"
  from pgboss.job where state in ('created', 'active', 'retry')
  group by name, state order by name, state`

export type QueueDepth = {
  queue: string
  state: 'waiting' | 'running' | 'retrying'
  jobs: number
  oldestDueSeconds: number
}
