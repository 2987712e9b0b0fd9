import {
  CamelCasePlugin,
  type CompiledQuery,
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

/** What a transaction tells listeners when it is committed. */
export type Notice = { channel: string; topic: string }
/** A transaction's last statement. It also tells the notices (pg_notify). */
type LastStatement = (notices: readonly Notice[]) => CompiledQuery
type Closing = { notices: Map<string, Notice>; last: LastStatement | undefined }

// Owned by this module: what is done at the commit of an open transaction.
const closings = new WeakMap<Transaction, Closing>()

function closingOf(tx: Transaction): Closing {
  const closing = closings.get(tx)
  if (closing === undefined)
    throw new Error('Only a transaction that openTransaction() opened does anything at commit.')
  return closing
}

/** Sends a notification with the COMMIT. The same one goes out once. */
export function onCommit(tx: Transaction, channel: string, topic: string): void {
  closingOf(tx).notices.set(`${channel} ${topic}`, { channel, topic })
}

/**
 * Has one statement go out together with the COMMIT: what must be written last, and nobody waits for. When it fails nothing
 * is committed, and the commit throws its error. There is one for each transaction.
 */
export function beforeCommit(tx: Transaction, last: LastStatement): void {
  const closing = closingOf(tx)
  if (closing.last !== undefined) throw new Error('The transaction has its last statement already.')
  closing.last = last
}

/** Writes now what would be written with the COMMIT: before the transaction is bound to another tenant. */
export async function writeLast(tx: Transaction): Promise<void> {
  const closing = closingOf(tx)
  const { last } = closing
  closing.last = undefined
  if (last !== undefined) await tx.executeQuery(last([]))
}

const tell = (notices: readonly Notice[]): string =>
  notices.map(({ channel, topic }) => `pg_notify(${pg.escapeLiteral(channel)}, ${pg.escapeLiteral(topic)})`).join(', ')

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
 * Opens a transaction, for one tenant's rows or for the directory alone. BEGIN and the tenant travel with the first
 * statement in one write, and nobody waits for their answer; a transaction in which nothing is asked for is none. Kysely's own
 * transactions wait for each, and would send the statements that are asked for at once one by one.
 */
export async function openTransaction(pool: pg.Pool, tenantId?: string): Promise<OpenTransaction> {
  if (tenantId !== undefined && !uuid.test(tenantId)) throw new TypeError('A tenant is named by its UUID.')
  const connection = new PooledConnection(await pool.connect())
  let begun: Promise<string> | undefined
  const begin = () => {
    if (begun !== undefined) return
    begun = connection.send(tenantId === undefined ? 'begin' : `begin; set local app.tenant_id = '${tenantId}'`)
    // Whoever uses the transaction hears of it: the statements behind it fail, and so does the commit.
    begun.catch(() => connection.discard())
  }
  let open = true
  const executor = new DefaultQueryExecutor(
    compiler,
    adapter,
    {
      provideConnection: (use) => {
        if (!open) throw new Error('The transaction has ended; this statement would be part of another one.')
        begin()
        return use(connection)
      },
    },
    plugins,
  )
  const tx: Transaction = new KyselyTransaction<DB>({ config: { dialect, plugins }, dialect, driver, executor })
  const closing: Closing = { notices: new Map(), last: undefined }
  closings.set(tx, closing)
  const end = async (statement: 'commit' | 'rollback') => {
    if (!open) throw new Error('The transaction has ended before.')
    open = false
    try {
      if (statement === 'commit' && hasLast(closing)) begin()
      if (begun === undefined) return
      await begun
      const tag = statement === 'commit' ? await sendCommit(connection, closing) : await connection.send(statement)
      // PostgreSQL answers ROLLBACK to the COMMIT of a transaction in which a statement failed.
      if (tag !== statement.toUpperCase())
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

const hasLast = ({ notices, last }: Closing): boolean => notices.size > 0 || last !== undefined

/** Gives the tag of the COMMIT; throws what the last statement failed with. */
async function sendCommit(connection: PooledConnection, { notices, last }: Closing): Promise<string> {
  const told = [...notices.values()]
  if (last === undefined) return await connection.send(told.length === 0 ? 'commit' : `select ${tell(told)}; commit`)
  const [written, committed] = await Promise.allSettled([
    connection.executeQuery(last(told)),
    connection.send('commit'),
  ])
  if (written.status === 'rejected') throw written.reason
  if (committed.status === 'rejected') throw committed.reason
  return committed.value
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
