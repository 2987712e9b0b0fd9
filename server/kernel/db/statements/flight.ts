import pg from 'pg'
import utils from 'pg/lib/utils.js'
import { type RowShape, rowShape, toRow } from '#server/kernel/db/results/row-shape.ts'
import { isControl } from './control.ts'

/** What PostgreSQL answered to a statement: its tag ("INSERT"), the number of rows that it counted, and its rows. */
export type Answer = { command: string; rowCount: number; rows: unknown[] }

type Part = {
  /** Of a prepared statement. */
  name: string | undefined
  text: string
  values: (string | Buffer | null)[]
  shape: RowShape | undefined
  rows: unknown[]
  /** A row could not be read. */
  failure: unknown
  answer: Answer | undefined
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

/** The driver's connection, with what its types leave out or describe for an earlier version. */
type Wire = {
  stream: { destroy(error: unknown): void }
  /** The texts of prepared statements by their names; `submitted…`: PostgreSQL has not confirmed them yet. */
  parsedStatements: Record<string, string>
  submittedNamedStatements: Record<string, string>
  parse(message: { name: string | undefined; text: string }): void
  bind(message: { statement: string | undefined; values: unknown[] }): void
  describe(message: { type: 'P' }): void
  execute(message: object): void
  sync(): void
}

const tag = /^([A-Za-z]+)(?:.* (\d+)$)?/

// Owned by this module: how the rows of each connection's prepared statements are read. PostgreSQL refuses to run one whose columns have
// changed since it was prepared.
const shapes = new WeakMap<Wire, Map<string, RowShape>>()

function shapesOf(connection: Wire): Map<string, RowShape> {
  const known = shapes.get(connection) ?? new Map<string, RowShape>()
  shapes.set(connection, known)
  return known
}

/**
 * Statements of a transaction that are sent together, with one Sync after the last. The driver's own queries have one each, so that
 * PostgreSQL answers each in a system call of its own, and they ask at each call which columns a prepared statement has
 * (docs/decisions/0123). A pipelined connection of the driver accepts its own class of queries, and this one is derived from it.
 */
export class Flight extends pg.Query {
  /** Of the statement whose answer comes next: the driver notes under this name what PostgreSQL has prepared. */
  declare name: string | undefined
  declare text: string
  /** The driver replaces it, to measure the time. */
  declare callback: (error: unknown) => void
  readonly #parts: Part[] = []
  #next = 0

  constructor() {
    super('')
    this.callback = (error) => this.#end(error ?? undefined)
    this.submit = (connection) => this.#send(connection as unknown as Wire)
  }

  /**
   * Adds a statement, which is sent with the flight. `name`: to prepare it, or to use what was prepared. Throws for a value that can't be
   * written; then the statement is not part of the flight.
   */
  add(name: string | undefined, text: string, values: readonly unknown[]): Promise<Answer> {
    const prepared = values.map((value) => utils.prepareValue(value))
    return new Promise((resolve, reject) => {
      const nothing = { shape: undefined, rows: [], failure: undefined, answer: undefined }
      this.#parts.push({ name, text, values: prepared, ...nothing, resolve, reject })
    })
  }

  #send(connection: Wire): null {
    const known = shapesOf(connection)
    try {
      for (const part of this.#parts) {
        const { name, text, values } = part
        if (name === undefined || !isKnown(connection, name)) connection.parse({ name, text })
        if (name !== undefined && !isKnown(connection, name)) connection.submittedNamedStatements[name] = text
        connection.bind({ statement: name, values })
        part.shape = name === undefined ? undefined : known.get(name)
        if (part.shape === undefined) connection.describe({ type: 'P' })
        connection.execute({})
      }
      connection.sync()
    } catch (error) {
      // PostgreSQL got a part of a flight, and its answers could not be told apart.
      connection.stream.destroy(error)
    }
    this.#expect(0)
    return null
  }

  #expect(index: number): void {
    this.#next = index
    this.name = this.#parts[index]?.name
    this.text = this.#parts[index]?.text ?? ''
  }

  #part(): Part {
    const part = this.#parts[this.#next]
    if (part === undefined) throw new Error('PostgreSQL has answered more statements than it was sent.')
    return part
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#part().shape = rowShape(fields)
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const part = this.#part()
    if (part.shape === undefined || part.failure !== undefined) return
    try {
      part.rows.push(toRow(part.shape, fields))
    } catch (error) {
      part.failure = error
    }
  }

  handleCommandComplete({ text }: { text: string }, connection: Wire): void {
    const part = this.#part()
    const [, command = '', count] = tag.exec(text) ?? []
    part.answer = { command, rowCount: Number(count ?? 0), rows: part.rows }
    if (part.name !== undefined) shapesOf(connection).set(part.name, part.shape ?? rowShape([]))
    this.#expect(this.#next + 1)
  }

  /** A text without a statement, such as a comment, has an answer of its own. */
  handleEmptyQuery(connection: Wire): void {
    this.handleCommandComplete({ text: '' }, connection)
  }

  /** PostgreSQL has skipped what follows the failed statement, or the connection was lost. */
  handleError(error: unknown, connection: Wire): void {
    for (const { name } of this.#parts.slice(this.#next))
      if (name !== undefined) delete connection.submittedNamedStatements[name]
    this.callback(error)
  }

  /** Answers arrive when all statements have been run, or one of them has failed. */
  #end(error: unknown): void {
    const failed = this.#parts[this.#next]
    // Without a transaction, because it has not begun or the session has ended, there is none that has failed.
    const isAborted = error instanceof pg.DatabaseError && !endsSession(error) && !isControl(failed?.text ?? '')
    for (const part of this.#parts) {
      const { answer, failure, resolve, reject } = part
      if (failure !== undefined) reject(failure)
      else if (answer !== undefined) resolve(answer)
      else reject(isAborted && part !== failed ? skipped() : (error ?? unanswered()))
    }
  }
}

const isKnown = ({ parsedStatements, submittedNamedStatements }: Wire, name: string): boolean =>
  parsedStatements[name] !== undefined || submittedNamedStatements[name] !== undefined

/** Whether PostgreSQL has closed the connection. Its word for that is in the language of its messages. */
const endsSession = ({ severity, code = '' }: pg.DatabaseError): boolean =>
  severity === 'FATAL' || severity === 'PANIC' || /^(08(?!P01)...|57P0[1-5]|25P0[34])$/.test(code)

const unanswered = () => new Error('PostgreSQL has answered fewer statements than it was sent.')

/** What PostgreSQL would have said of a statement after a failed one. */
function skipped(): pg.DatabaseError {
  const text = 'current transaction is aborted, commands ignored until end of transaction block'
  return Object.assign(new pg.DatabaseError(text, text.length, 'error'), { severity: 'ERROR', code: '25P02' })
}
