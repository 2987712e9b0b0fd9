import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'

// A process is in `listening_processes` while it listens (migration 0120), so that others know whether to notify.

/** How often to look for processes that listen without registering, such as those of an older version. */
const checkEveryMs = 5000
/** How often to check whether transactions that began before the registration have ended. */
const firstLookMs = 20
const longestLookMs = 1000

const lockText = `select pg_advisory_lock(hashtextextended('listening ' || $1::text, 0))`
const insertText = 'insert into listening_processes (id) values ($1) on conflict do nothing'
const deleteText = 'delete from listening_processes where id = $1'
const deleteLostText = `delete from listening_processes
  where id <> $1 and pg_try_advisory_xact_lock(hashtextextended('listening ' || id::text, 0))`
const allRegisteredText = `select not exists (
    select from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend'
      and usename in (current_user, current_database() || '_app')
      and (application_name !~ '^countersign[a-z-]*/[0-9]+$' or application_name like 'countersign-listen/%')
  ) as all`
const inProgressText = `select pg_snapshot_xmax(now)::text as next, exists (select pg_snapshot_xip(now)) as busy
  from pg_current_snapshot() as now`
const endedText = 'select pg_snapshot_xmin(pg_current_snapshot()) >= $1::text::xid8 as ended'

/** Called on a connection before it listens. Its lock shows that the process is connected, for as long as it is. */
export async function register(client: pg.ClientBase, id: string): Promise<void> {
  await client.query(lockText, [id])
  await client.query(insertText, [id])
}

/** Called on the connection that listened, before it is closed. */
export async function unregister(client: pg.ClientBase, id: string): Promise<void> {
  await client.query(deleteText, [id])
}

/**
 * Resolves when no transaction is left that was in progress at the registration: such a one may have found no other process to notify, and
 * commit later. True if there was one.
 */
export async function olderTransactionsEnded(client: pg.ClientBase, signal: AbortSignal): Promise<boolean> {
  const { rows } = await client.query<{ next: string; busy: boolean }>(inProgressText)
  if (rows[0]?.busy !== true) return false
  for (let pause = firstLookMs; ; pause = Math.min(pause * 2, longestLookMs)) {
    await setTimeout(pause, undefined, { signal })
    const { rows: looked } = await client.query<{ ended: boolean }>(endedText, [rows[0].next])
    if (looked[0]?.ended === true) return true
  }
}

/**
 * Calls `then` with whether all processes that listen on this database are registered, now and every few seconds, until the signal aborts
 * or the connection is lost. Removes those that are no longer connected.
 */
export async function watchRegistrations(
  client: pg.ClientBase,
  id: string,
  signal: AbortSignal,
  then: (all: boolean) => void,
): Promise<void> {
  for (;;) {
    await client.query(deleteLostText, [id])
    const { rows } = await client.query<{ all: boolean }>(allRegisteredText)
    then(rows[0]?.all === true)
    await setTimeout(checkEveryMs, undefined, { signal })
  }
}
