import { sql } from 'kysely'
import { ApiError } from '#lib/errors.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { protocol } from './application-name.ts'
import type { Database, Transaction } from './database.ts'

type Seen = { since: number; askedAt: number | undefined; lastSeenAt: number | undefined }

// Owned by this module: what this process saw on each database. Monotonic times in milliseconds.
const seen = new WeakMap<Database, Seen>()
const askedEveryMs = 5_000
/** A process of the older version may be restarted again during a rolling restart. */
const goneAfterMs = 60_000

/**
 * Whether a process of an older protocol uses this database, or did within the last minute as far as this process saw.
 * While it is true, write only what that process can read and check. Costs one statement in five seconds. Callers that need an
 * answer at the same time ask on their own connections, because another caller's may be waiting for a lock.
 */
export async function olderProcesses(tx: Transaction, now: () => number = () => performance.now()): Promise<boolean> {
  const { database } = runtime()
  const known = seen.get(database) ?? { since: now(), askedAt: undefined, lastSeenAt: undefined }
  seen.set(database, known)
  if (known.askedAt === undefined || now() - known.askedAt >= askedEveryMs) {
    const askedAt = now()
    if (await olderConnected(tx)) known.lastSeenAt = Math.max(known.lastSeenAt ?? askedAt, askedAt)
    known.askedAt = Math.max(known.askedAt ?? askedAt, askedAt)
  }
  return known.lastSeenAt !== undefined && now() - known.lastSeenAt < goneAfterMs
}

/**
 * Whether this process has seen no older process for a whole minute. For what can't be taken back: a process of the older
 * version that is being restarted is not connected for a moment.
 */
export async function olderProcessesGone(
  tx: Transaction,
  now: () => number = () => performance.now(),
): Promise<boolean> {
  if (await olderProcesses(tx, now)) return false
  const since = seen.get(runtime().database)?.since
  return since !== undefined && now() - since >= goneAfterMs
}

/** Refuses (503) what a process of the older version, which still uses this database, would ignore. */
export async function requireNewProcesses(tx: Transaction, ignored: string): Promise<void> {
  if (await olderProcesses(tx))
    throw new ApiError(
      'unavailable',
      `This service is being upgraded, and its older processes would ignore ${ignored}. Try again in a few minutes.`,
    )
}

/** Older versions don't name their connections, or without a protocol; all of them keep one connection to listen. */
async function olderConnected(tx: Transaction): Promise<boolean> {
  const { rows } = await sql<{ older: boolean }>`
    select exists (
      select from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend'
        and usename in (current_user, current_database() || '_app')
        and coalesce(substring(application_name from '^countersign[a-z-]*/([0-9]{1,9})$')::integer, 0) < ${protocol}
    ) as older`.execute(tx)
  return rows[0]?.older ?? true
}
