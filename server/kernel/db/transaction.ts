import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  DummyDriver,
  type Kysely,
  Transaction as KyselyTransaction,
  PostgresAdapter,
  PostgresIntrospector,
  type QueryResult,
} from 'kysely'
import type pg from 'pg'
import { ApiError } from '#lib/errors.ts'
import { beginningOf, type Opening } from './beginning.ts'
import {
  executeKnown,
  keepClosing,
  newClosing,
  prepareCommit,
  reportFailure,
  type Transaction,
  typesIn,
} from './closing.ts'
import { commitTogether } from './commit-together.ts'
import { PooledConnection, transactionFailed } from './connection.ts'
import type { OwnTransactions } from './listen.ts'
import { QueryCompiler } from './query-compiler.ts'
import { columnNames } from './results/column-names.ts'
import type { DB } from './schema.ts'
import { hasLast, onlyLast, sendCommit } from './send-commit.ts'

/** A transaction that its holder must end exactly once, with one of the two functions. */
export type OpenTransaction = {
  tx: Transaction
  /** Throws if a statement failed, and if it is unknown whether the transaction was committed. */
  commit(): Promise<void>
  /** Never fails: if the database can't be reached any more, the lost connection rolls back. */
  rollBack(): Promise<void>
  /** With a first statement that was given: whether it succeeded. Resolves when it has been sent and answered. */
  confirmed?(): Promise<boolean>
}

/** The first statement of a transaction was refused: the caller is not who they were. The call begins again, so no one gets this error. */
export class FirstRefused extends ApiError {
  constructor() {
    super('unavailable', 'Your membership has changed since your last call. Send this call again.')
  }
}

/** SQLSTATE of admit_known() for a caller who is not the known one (migration 0117). */
const refusedFirst = 'CS002'
const adapter = new PostgresAdapter()
const compiler = new QueryCompiler()
const driver = new DummyDriver()
const dialect = {
  createAdapter: () => adapter,
  createDriver: () => driver,
  createQueryCompiler: () => compiler,
  createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
}
const plugins = [columnNames]

/**
 * Opens a transaction, for one tenant's rows or for the directory alone. BEGIN and the tenant are sent with the first
 * statement in one write, without waiting for their response; a transaction without statements never reaches the
 * database. Kysely's own transactions wait for each response, and would send concurrent statements one by one.
 * `first` is sent right after BEGIN, in any case: if it fails, nothing that the transaction sends has an effect.
 * With `plannedOnce`, PostgreSQL keeps one plan of each prepared statement for all values, along an index (docs/decisions/0112).
 * With `own`, the readers of this process are informed by it, and the database notifies other processes only.
 */
export async function openTransaction(
  pool: pg.Pool,
  { first, own, ...opening }: Opening & { first?: CompiledQuery | undefined; own?: OwnTransactions | undefined } = {},
): Promise<OpenTransaction> {
  const beginning = beginningOf(opening, own?.processId())
  const connection = new PooledConnection(await pool.connect())
  let begun: Promise<string> | undefined
  const confirmation = Promise.withResolvers<boolean>()
  const refuse = (error: unknown) => {
    if (Reflect.get(Object(error), 'code') === refusedFirst) confirmation.resolve(false)
    else confirmation.reject(error)
  }
  // The users of the transaction get the error of their own statement; a caller that asks for the confirmation gets this one, too.
  confirmation.promise.catch(() => undefined)
  /** The statements after a refused first one fail because of it. */
  const asConfirmed = async (error: unknown): Promise<never> => {
    if (first !== undefined && !(await confirmation.promise)) throw new FirstRefused()
    throw error
  }
  const begin = () => {
    if (begun !== undefined) return
    begun = beginning.on(connection)
    // The users of the transaction get the error: later statements fail, and so does the commit.
    begun.catch(() => connection.discard())
    if (first !== undefined) connection.executeQuery(first).then(() => confirmation.resolve(true), refuse)
  }
  let open = true
  const closing = newClosing()
  const noting: DatabaseConnection = {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const { known } = closing
      closing.known = undefined
      // In this order on the connection, so that the statement sees the write.
      const before = known && executeKnown(noting, known)
      // The statement after a failed one fails as well, and only the first error says why.
      before?.catch(() => undefined)
      for (const type of typesIn(query.sql)) closing.written.add(type)
      closing.sent += 1
      const result = connection.executeQuery<R>(query).catch(asConfirmed)
      if (before === undefined) return await result
      const [written, own] = await Promise.allSettled([before, result])
      if (written.status === 'rejected') throw written.reason
      if (own.status === 'rejected') throw own.reason
      return own.value
    },
    streamQuery: () => connection.streamQuery(),
  }
  const executor = new DefaultQueryExecutor(
    compiler,
    adapter,
    {
      provideConnection: (use) => {
        if (!open) throw new Error('The transaction has ended, so this statement would run in another one.')
        begin()
        return use(noting)
      },
    },
    plugins,
  )
  const tx: Transaction = new KyselyTransaction<DB>({ config: { dialect, plugins }, dialect, driver, executor })
  keepClosing(tx, closing)
  const end = async (statement: 'commit' | 'rollback') => {
    if (!open) throw new Error('The transaction has already ended.')
    open = false
    try {
      const alone = begun === undefined && first === undefined ? onlyLast(closing) : undefined
      if (statement === 'commit' && alone !== undefined)
        return await commitTogether(pool, beginning, { connection, last: alone, notices: closing.notices })
      if (first !== undefined || (statement === 'commit' && hasLast(closing))) begin()
      if (begun === undefined) return
      // Sent without waiting for the response to BEGIN: in a transaction that could not begin, it fails or commits nothing.
      const ended = statement === 'commit' ? sendCommit(connection, closing) : connection.rollBack()
      const [tag] = await Promise.all([ended, begun])
      // PostgreSQL responds with ROLLBACK to the COMMIT of a transaction in which a statement failed.
      if (tag !== statement.toUpperCase())
        throw new Error('The transaction was rolled back because one of its statements failed.')
    } catch (error) {
      confirmation.reject(error)
      // A lost connection has rolled back, and the caller of a rollback already has a more important error to report.
      if (statement === 'commit') await asConfirmed(error)
    } finally {
      connection.release()
    }
  }
  const told = (committed: boolean) => {
    for (const then of closing.after.splice(0)) then(committed)
  }
  const commit = async () => {
    try {
      if (open) await prepareCommit(tx, closing)
    } catch (error) {
      // A statement has failed before; the COMMIT reports that.
      if (Reflect.get(Object(error), 'code') !== transactionFailed) {
        await end('rollback')
        await reportFailure(error)
        throw error
      }
    }
    await end('commit')
  }
  return {
    tx,
    async commit() {
      try {
        await commit()
      } catch (error) {
        told(false)
        throw error
      } finally {
        // Also if no one knows whether it was committed.
        own?.deliver([...closing.notices.values()])
      }
      told(true)
    },
    async rollBack() {
      try {
        await end('rollback')
      } finally {
        told(false)
      }
    },
    ...(first === undefined ? {} : { confirmed: () => confirmation.promise }),
  }
}

/** Commits when `work` returns, rolls back when it throws. */
export async function within<T>(
  { tx, commit, rollBack }: OpenTransaction,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  let result: T
  try {
    result = await work(tx)
  } catch (error) {
    await rollBack()
    await reportFailure(error)
    throw error
  }
  await commit()
  return result
}
