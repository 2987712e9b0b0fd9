import {
  CamelCasePlugin,
  DefaultQueryExecutor,
  DummyDriver,
  type Kysely,
  Transaction as KyselyTransaction,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import pg from 'pg'
import { PooledConnection } from './connection.ts'
import type { DB } from './schema.ts'

/** One open transaction, bound to one tenant by row-level security. The only handle that a store accepts. */
export type Transaction = KyselyTransaction<DB>

/** A transaction that whoever holds it must end, once, by one of the two. */
export type OpenTransaction = {
  tx: Transaction
  /** Throws when a statement had failed, and when nobody knows whether it was committed. */
  commit(): Promise<void>
  /** Never fails: what can't be said to the database any more is rolled back by its end. */
  rollBack(): Promise<void>
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

// Owned by this module: what an open transaction has to tell, channel and topic as one text.
const notices = new WeakMap<Transaction, Set<string>>()

/** Sends a notification in the message of the COMMIT. It costs no statement of its own, and the same one goes out once. */
export function onCommit(tx: Transaction, channel: string, topic: string): void {
  const noted = notices.get(tx)
  if (noted === undefined) throw new Error('Only a transaction that openTransaction() opened can notify.')
  noted.add(`select pg_notify(${pg.escapeLiteral(channel)}, ${pg.escapeLiteral(topic)})`)
}

const adapter = new PostgresAdapter()
const compiler = new PostgresQueryCompiler()
const driver = new DummyDriver()
const dialect = {
  createAdapter: () => adapter,
  createDriver: () => driver,
  createQueryCompiler: () => compiler,
  createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
}
// Columns are snake_case in SQL and camelCase in TypeScript; what lies inside a JSON column is left as it is.
const plugins = [new CamelCasePlugin({ maintainNestedObjectKeys: true })]

/**
 * Opens a transaction, for one tenant's rows or for the directory alone. BEGIN and the tenant travel in one message, and
 * nobody waits for its answer: the first statement goes out right behind it. Kysely's own transactions wait for each, and
 * would send the statements that are asked for at once one by one.
 */
export async function openTransaction(pool: pg.Pool, tenantId?: string): Promise<OpenTransaction> {
  if (tenantId !== undefined && !uuid.test(tenantId)) throw new TypeError('A tenant is named by its UUID.')
  const connection = new PooledConnection(await pool.connect())
  const begun = connection.send(
    tenantId === undefined ? 'begin' : `begin; select set_config('app.tenant_id', '${tenantId}', true)`,
  )
  // Whoever uses the transaction hears of it: the statements behind it fail, and so does the commit.
  begun.catch(() => connection.discard())
  let open = true
  const executor = new DefaultQueryExecutor(
    compiler,
    adapter,
    {
      provideConnection: (use) => {
        if (!open) throw new Error('The transaction has ended; this statement would be part of another one.')
        return use(connection)
      },
    },
    plugins,
  )
  const tx: Transaction = new KyselyTransaction<DB>({ config: { dialect, plugins }, dialect, driver, executor })
  const noted = new Set<string>()
  notices.set(tx, noted)
  const end = async (statement: 'commit' | 'rollback') => {
    if (!open) throw new Error('The transaction has ended before.')
    open = false
    try {
      await begun
      // PostgreSQL answers ROLLBACK to the COMMIT of a transaction in which a statement failed.
      const message = statement === 'commit' ? [...noted, statement].join('; ') : statement
      if ((await connection.send(message)) !== statement.toUpperCase())
        throw new Error('The transaction was rolled back: one of its statements had failed.')
    } catch (error) {
      connection.discard()
      // A connection that is gone has rolled back; whoever rolls back has something worse to tell.
      if (statement === 'commit') throw error
    } finally {
      connection.release()
    }
  }
  return {
    tx,
    commit: () => end('commit'),
    rollBack: () => end('rollback'),
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
    throw error
  }
  await commit()
  return result
}
