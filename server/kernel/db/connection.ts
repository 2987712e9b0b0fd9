import { hash } from 'node:crypto'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import pg, { type PoolClient } from 'pg'
import { countedBy } from '#server/kernel/observe/meters.ts'
import { isConstantText, isPreparedText } from './statements/constant-text.ts'
import { beginText, commitText, settingsStatement, type TransactionSettings } from './statements/control.ts'
import { type Answer, Flight } from './statements/flight.ts'

/** A statement is prepared from this use on: rarely used ones would only fill the memory of every connection. */
const usesUntilPrepared = 8
/** Maximum number of prepared statements on each connection, and of texts that are counted. */
const maxPrepared = 256
const maxCounted = 4096
/** A longer text contains its rows (a bulk insert) and is unlikely to be used again, unless it is known to be constant. */
const longestPrepared = 8192
/** "cached plan must not change result type": a newer version has migrated the database since. */
const planIsStale = '0A000'
/** SQLSTATE in_failed_sql_transaction */
export const transactionFailed = '25P02'

/** What the process has sent to PostgreSQL for requests and jobs, without the queue's own statements. */
export type Traffic = {
  /** Turns of the event loop in which something was sent: each costs both sides a system call and a switch. */
  writes: number
  statements: number
  commits: number
}

// Owned by this module: counted from the start of the process.
const sent: Traffic = { writes: 0, statements: 0, commits: 0 }

export const databaseTraffic = (): Traffic => ({ ...sent })

countedBy('countersign_database_writes_total', 'Writes to the sockets of the database.', () => sent.writes)
countedBy('countersign_database_statements_total', 'Statements sent to the database.', () => sent.statements)
countedBy('countersign_database_commits_total', 'Transactions that the process asked to commit.', () => sent.commits)

// Owned by this module: how often the process has sent a text, and the names of frequent ones.
const uses = new Map<string, number>()
const names = new Map<string, string>()

/** The name of the prepared statement for a frequent text; undefined for any other. */
function preparedName(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined) return known
  if (isPreparedText(text)) return nameFor(text)
  if (names.size >= maxPrepared) return undefined
  if (text.length > longestPrepared && !isConstantText(text)) return undefined
  const count = (uses.get(text) ?? 0) + 1
  if (count < usesUntilPrepared) {
    if (uses.size < maxCounted || uses.has(text)) uses.set(text, count)
    return undefined
  }
  uses.delete(text)
  return nameFor(text)
}

function nameFor(text: string): string {
  const name = `cs_${hash('sha256', text).slice(0, 24)}`
  names.set(text, name)
  return name
}

const nameOf = (text: string): string => names.get(text) ?? nameFor(text)

/** A connection of the pool as Kysely needs it. Concurrent statements are sent together, in the driver's pipeline. */
export class PooledConnection implements DatabaseConnection {
  readonly #client: PoolClient
  #broken = false
  /** From BEGIN until PostgreSQL has answered COMMIT or ROLLBACK. */
  #inTransaction = false
  /** Why the transaction has not begun. */
  #notBegun: unknown
  /** A statement of the transaction was not sent, so the others must not be committed. */
  #isIncomplete = false
  #corked = false
  /** The statements of this turn, not sent yet. */
  #flight: Flight | undefined

  constructor(client: PoolClient) {
    this.#client = client
  }

  /**
   * Sends all statements of one turn of the event loop in one write: a system call for each costs more than the data.
   */
  #gather(): void {
    if (this.#corked) return
    const { stream } = (this.#client as PoolClient & { connection: pg.Connection }).connection
    this.#corked = true
    sent.writes += 1
    stream.cork()
    process.nextTick(() => {
      this.#depart()
      this.#corked = false
      stream.uncork()
    })
  }

  #depart(): void {
    const flight = this.#flight
    this.#flight = undefined
    if (flight !== undefined) this.#client.query(flight)
  }

  async executeQuery<R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#notBegun !== undefined) throw this.#notBegun
    this.#gather()
    sent.statements += 1
    try {
      const { command, rowCount, rows } = await this.#add(text, parameters)
      const changes = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE'
      const found = rows as R[]
      return changes ? { rows: found, numAffectedRows: BigInt(rowCount) } : { rows: found }
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === planIsStale) this.#broken = true
      // Its stack ends where the answer was read; this one leads to the caller.
      if (error instanceof Error) Error.captureStackTrace(error)
      throw error
    }
  }

  #add(text: string, parameters: readonly unknown[]): Promise<Answer> {
    this.#flight ??= new Flight()
    try {
      return this.#flight.add(preparedName(text), text, parameters)
    } catch (error) {
      this.#isIncomplete = true
      throw error
    }
  }

  /**
   * Begins a transaction with these settings, which end with it. Sent with the statements that follow in the same turn: if it fails,
   * PostgreSQL skips them.
   */
  async begin(settings: TransactionSettings): Promise<string> {
    this.#inTransaction = true
    this.#gather()
    sent.statements += 1
    const set = settingsStatement(settings)
    const [begun] = await this.#asBeginning(
      Promise.all([this.#control(beginText, []), set === undefined ? undefined : this.#control(set.text, set.values)]),
    )
    return begun
  }

  /** Returns COMMIT, or ROLLBACK if a statement has failed. Sent with the statements before it in the same turn. */
  async commit(): Promise<string> {
    if (this.#notBegun !== undefined) throw this.#notBegun
    if (this.#isIncomplete) return await this.rollBack()
    this.#gather()
    sent.statements += 1
    sent.commits += 1
    try {
      const tag = await this.#control(commitText, [])
      this.#inTransaction = false
      return tag
    } catch (error) {
      // PostgreSQL has skipped it after a failed statement of the same turn, and is still in the transaction.
      if (error instanceof pg.DatabaseError && error.code === transactionFailed) return await this.rollBack()
      throw error
    }
  }

  async rollBack(): Promise<string> {
    const tag = await this.send('rollback')
    this.#inTransaction = false
    return tag
  }

  /** Begins a transaction by several statements in one message. */
  async beginBy(text: string): Promise<string> {
    this.#inTransaction = true
    return await this.#asBeginning(this.send(text))
  }

  /** Without a transaction, nothing may be sent any more: each statement would be one. */
  async #asBeginning<T>(begun: Promise<T>): Promise<T> {
    return await begun.catch((error: unknown) => {
      this.#notBegun = error
      throw error
    })
  }

  async #control(text: string, values: readonly string[]): Promise<string> {
    this.#flight ??= new Flight()
    return (await this.#flight.add(nameOf(text), text, values)).command
  }

  /** Several statements in one message, without parameters. Returns the tag of the last one. */
  async send(text: string): Promise<string> {
    this.#gather()
    this.#depart()
    sent.statements += 1
    const results: unknown = await this.#client.query(text)
    const last: unknown = Array.isArray(results) ? results.at(-1) : results
    return typeof last === 'object' && last !== null && 'command' in last ? String(last.command) : ''
  }

  // biome-ignore lint/correctness/useYield: the interface requires it, and a cursor can't share a pipelined connection.
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('These connections do not support cursors. Read a large result page by page.')
  }

  /** The connection must not be used again; the pool closes it. */
  discard(): void {
    this.#broken = true
  }

  /** The pool closes a connection that may still be in a transaction, which rolls back: the next one would continue it. */
  release(): void {
    this.#client.release(this.#broken || this.#inTransaction)
  }
}
