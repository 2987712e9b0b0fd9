import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'

// A process is in `listening_processes` while it listens (migration 0120), so that others know whether to notify.

/** How often to check for processes that listen without registering, such as those of an older version. */
const checkEveryMs = 5000
/** A process that is not registered may be gone for a moment, such as while the database restarts. */
const goneAfterMs = 60_000
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
const inProgressText = 'select one::text as id from pg_snapshot_xip(pg_current_snapshot()) as one'

const inProgress = async (client: pg.ClientBase): Promise<Set<string>> =>
  new Set((await client.query<{ id: string }>(inProgressText)).rows.map(({ id }) => id))

/**
 * Called on a connection before it listens. Its lock shows that the process is connected, for as long as it is. Returns the transactions that
 * were in progress: one of them may have found no other process to notify, and commit later.
 */
export async function register(client: pg.ClientBase, id: string): Promise<ReadonlySet<string>> {
  await client.query(lockText, [id])
  await client.query(insertText, [id])
  return await inProgress(client)
}

/** Called on the connection that listened, before it is closed. */
export async function unregister(client: pg.ClientBase, id: string): Promise<void> {
  await client.query(deleteText, [id])
}

/** Calls `ended` when some of these transactions have ended, until all have or the signal aborts. */
export async function watchTransactions(
  client: pg.ClientBase,
  transactions: ReadonlySet<string>,
  signal: AbortSignal,
  ended: () => void,
): Promise<void> {
  let left: ReadonlySet<string> = transactions
  for (let pause = firstLookMs; left.size > 0; pause = Math.min(pause * 2, longestLookMs)) {
    await setTimeout(pause, undefined, { signal })
    const now = await inProgress(client)
    const still = new Set([...left].filter((one) => now.has(one)))
    if (still.size < left.size) ended()
    left = still
  }
}

/**
 * Calls `found` now and every few seconds, until the signal aborts: true if all processes that listen on this database are registered. An
 * unregistered process may be reconnecting, so the result stays false for a minute after one was connected (`seen`). It is also false when
 * the check fails, and `failed` gets the error. Removes registered processes that are no longer connected.
 */
export async function watchRegistrations(
  client: pg.ClientBase,
  id: string,
  signal: AbortSignal,
  {
    found,
    failed,
    seen,
  }: { found(all: boolean): void; failed(error: unknown): void; seen: { unregisteredAt: number } },
): Promise<void> {
  while (!signal.aborted) {
    try {
      await client.query(deleteLostText, [id])
      const { rows } = await client.query<{ all: boolean }>(allRegisteredText)
      if (rows[0]?.all !== true) seen.unregisteredAt = performance.now()
      found(performance.now() - seen.unregisteredAt >= goneAfterMs)
    } catch (error) {
      if (signal.aborted) return
      found(false)
      failed(error)
    }
    // It rejects only when the signal aborts, which ends the loop.
    await setTimeout(checkEveryMs, undefined, { signal }).catch(() => undefined)
  }
}
