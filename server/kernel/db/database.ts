import { type CompiledQuery, sql } from 'kysely'
import pg from 'pg'
import type { Log } from '#server/kernel/log.ts'
import { beginChild } from '#server/kernel/observe/spans.ts'
import type { Snapshot } from './beginning.ts'
import { type Transaction, writeLast } from './closing.ts'
import type { OwnTransactions } from './listen.ts'
import { readingOnce } from './one-write.ts'
import { openPool } from './pool.ts'
import { parseTimestamp } from './results/timestamp.ts'
import { type OpenTransaction, openTransaction, within } from './transaction.ts'

export type { Transaction } from './closing.ts'
export type { OpenTransaction } from './transaction.ts'

export type Database = {
  /**
   * Runs `work` in a transaction in which only `tenantId`'s rows are visible; commits when it returns, rolls back when
   * it throws.
   */
  inTenant<T>(tenantId: string, work: (tx: Transaction) => Promise<T>): Promise<T>
  /**
   * The same for work that only reads, and sends all its statements in one turn: nothing is waited for in between. `plannedOnce` is for
   * frequent statements on partitioned tables that have one good plan for all values, along an index, and are prepared from their first use
   * on (preparedText).
   */
  readInTenant<T>(
    tenantId: string,
    work: (tx: Transaction) => Promise<T>,
    options?: { plannedOnce?: boolean },
  ): Promise<T>
  /** The same, in which all statements read one state of the database. It must not write. */
  inSnapshot<T>(tenantId: string, snapshot: Snapshot, work: (tx: Transaction) => Promise<T>): Promise<T>
  /**
   * Takes a lock of a transaction, and holds it while `work` calls another server, for at most two minutes. Returns undefined without it.
   * Its connection is one of a pool for this alone, and its transaction keeps no snapshot: a server that is slow holds up no request, no
   * export and no vacuum.
   */
  whileLocked<T>(
    tenantId: string,
    lock: (tx: Transaction) => Promise<boolean>,
    work: () => Promise<T>,
  ): Promise<T | undefined>
  /** The same without a tenant: only the directory of tenants is visible, and no tenant's rows. */
  inDirectory<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /**
   * A transaction of the directory that the caller ends, for code that identifies the tenant first (admission). Without waiting for it, if
   * `first` does.
   */
  open(first?: CompiledQuery): Promise<OpenTransaction>
  /** Address for the application's role, for the queue and for LISTEN. */
  url: string
  close(): Promise<void>
}

// Integers beyond 2^53 do not occur in this schema, so byte sizes and counts are returned as numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, parseTimestamp)
// A date is a calendar day in UTC, not an instant, so it stays text.
pg.types.setTypeParser(pg.types.builtins.DATE, (value) => value)

/**
 * Binds an open transaction to a tenant, until it ends or is bound again. Only for code that identifies the tenant
 * inside the transaction.
 */
export async function bindTenant(tx: Transaction, tenantId: string): Promise<void> {
  await writeLast(tx)
  await sql`select set_config('app.tenant_id', ${tenantId}, true)`.execute(tx)
}

/**
 * Within `work`, `tx` can also read the memberships of this one principal in other tenants, under a policy of the
 * database. Only tenants.list may call it (server/architecture.test.ts). The one other read across tenants has a policy of
 * its own: who invited or reset the accounts of a tenant's members (account_links).
 */
export async function withOwnMemberships<T>(
  tx: Transaction,
  principal: { issuer: string; subject: string },
  work: () => Promise<T>,
): Promise<T> {
  const see = (issuer: string, subject: string) =>
    sql`select set_config('app.principal_issuer', ${issuer}, true), set_config('app.principal_subject', ${subject}, true)`.execute(
      tx,
    )
  await see(principal.issuer, principal.subject)
  const result = await work()
  await see('', '')
  return result
}

/** Records a span of the transaction, if it belongs to a request or job that has one. It begins with the wait for a connection. */
async function spanned(use: string, opening: Promise<OpenTransaction>): Promise<OpenTransaction> {
  const span = beginChild('client')
  if (span === undefined) return await opening
  const end = (result: 'ok' | 'failed') =>
    span.end('transaction', { 'db.system.name': 'postgresql', 'countersign.transaction': use }, result)
  const ended = async (work: Promise<void>) => {
    await work.then(
      () => end('ok'),
      (error: unknown) => {
        end('failed')
        throw error
      },
    )
  }
  const { tx, commit, rollBack, ...more } = await opening.catch((error: unknown) => {
    end('failed')
    throw error
  })
  return { tx, commit: () => ended(commit()), rollBack: () => ended(rollBack()), ...more }
}

/** Locks that a process holds at a time: each sink of SIEM_SINKS needs one while it sends. */
export const mostHeld = 20

/**
 * Lets the transaction be idle for two minutes. PostgreSQL keeps the last query of a connection open until the next statement, and its
 * snapshot with it: a setting ends that query, and needs none.
 */
const stayIdle = (tx: Transaction) => sql`set local idle_in_transaction_session_timeout = '2min'`.execute(tx)

/**
 * Opens a pool for the application's role. `url` comes from migrate(). `own`: of the listener on the same database, if this process has
 * readers there.
 */
export function openDatabase(
  url: string,
  log: Log,
  { poolSize = 16, own }: { poolSize?: number; own?: OwnTransactions } = {},
): Database {
  const pool = openPool(url, log, 'requests', { max: poolSize, pipeline: true })
  if (own !== undefined) {
    pool.on('connect', (client) => own.adopt(processIdOf(client)))
    pool.on('remove', (client) => own.forget(processIdOf(client)))
  }
  // Their transactions stay open for the whole of an export, which also needs connections of the pool: in the pool, exports
  // that take all of its connections would wait for each other.
  const snapshots = openPool(url, log, 'snapshots', { max: poolSize, pipeline: true })
  const locks = openPool(url, log, 'locks', { max: mostHeld, pipeline: true })
  return {
    url,
    inTenant: async (tenantId, work) => within(await spanned('tenant', openTransaction(pool, { tenantId, own })), work),
    readInTenant: async (tenantId, work, options) =>
      readingOnce(await spanned('tenant', openTransaction(pool, { tenantId, ...options })), work),
    inSnapshot: async (tenantId, snapshot, work) =>
      within(await spanned('snapshot', openTransaction(snapshots, { tenantId, snapshot })), work),
    whileLocked: async (tenantId, lock, work) =>
      within(await spanned('lock', openTransaction(locks, { tenantId })), async (tx) => {
        if (!(await lock(tx))) return undefined
        await stayIdle(tx)
        return await work()
      }),
    inDirectory: async (work) => within(await spanned('directory', openTransaction(pool, { own })), work),
    open: (first) => spanned('admission', openTransaction(pool, { first, own })),
    async close() {
      await Promise.all([pool.end(), snapshots.end(), locks.end()])
    },
  }
}

/** As PostgreSQL names the process of a connection in its notifications. */
const processIdOf = (client: pg.PoolClient): number => Number(Reflect.get(client, 'processID'))
