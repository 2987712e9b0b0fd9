import { CompiledQuery, type Transaction as KyselyTransaction } from 'kysely'
import type { BoundType, KnownRow, StoredState } from '#server/kernel/bound/types.ts'
import { writtenBy } from '#server/kernel/bound/written-by.ts'
import type { DB } from './schema.ts'
import { isConstantText } from './statements/constant-text.ts'

// What a transaction keeps until its COMMIT, and sends with it.

/** One open transaction, bound to one tenant by row-level security. The only handle that stores accept. */
export type Transaction = KyselyTransaction<DB>

/** A notification that a transaction sends when it is committed. */
export type Notice = { channel: string; topic: string }
/** A transaction's last statement, composed when it is sent. */
export type LastStatement<Part = unknown> = {
  /** The same for those that one statement can do for several transactions. */
  kind: string
  /** What it writes, in this order. */
  parts: readonly Part[]
  /** Called when the parts are going to be sent: what is added to them afterwards would be lost. */
  taken?(): void
  /** Also sends the notifications (tell_others), and does what `states` would (bound/store.ts). `parts`: of one or several of this kind. */
  compose(parts: readonly Part[], notices: readonly Notice[], states?: CompiledQuery): CompiledQuery
}
/** What an open transaction keeps until it ends. */
export type Closing = {
  notices: Map<string, Notice>
  last: LastStatement | undefined
  /** How many statements the transaction has sent. */
  sent: number
  /** Types of evidence whose tables the transaction has written since its rows were last bound. */
  written: Set<BoundType>
  /** What `readWritten` has read of the types written before it. */
  read: { types: readonly BoundType[]; bind: Promise<Bind> } | undefined
  /** Statements that are sent together with the last one. */
  pending: CompiledQuery[]
  /** A write of evidence that waits for the COMMIT. */
  known: KnownWrite | undefined
  /** The same with its states, which the last statement writes too. */
  conclusion: Compose | undefined
  /** The states of the rows that were bound; written in one statement with the records. */
  states: CompiledQuery | undefined
  /** Called when the transaction has ended. */
  after: ((committed: boolean) => void)[]
}

/** Throws if the rows that were read may not be bound; nothing is committed then. The result is sent with the COMMIT. */
export type Bind = () => Promise<CompiledQuery | undefined>

/** A write of evidence whose rows the process knows in advance, so that they need not be read before they are bound. */
export type KnownWrite = {
  tenantId: string
  /**
   * A call of a function of the database, with its parameters from $1 on. The function returns 'done' after writing exactly `rows`, and
   * anything else after writing nothing.
   */
  call: CompiledQuery
  /** The function may return another outcome. */
  mayDiffer?: true
  /**
   * The rows as they are afterwards. Those that existed are locked and have been checked (requireFoundBound), or this process has written
   * them (ownRows): what anyone else did to them since is found when they are read, or fails the write.
   */
  rows: readonly KnownRow[]
  /** Called with the states of `rows` before they are sent, if the rows are bound without being read. */
  bound?: (states: readonly StoredState[]) => void
}

/**
 * A known write has found another case than the one that it was prepared for, and has written nothing, nor have the statements that were
 * to follow it. What the transaction sent before is committed, so it may only have read. The operation runs again with the outcome.
 * An operation may throw it, too, before its COMMIT: then it is rolled back, whatever it has written, and runs again.
 */
export class Unforeseen extends Error {
  readonly outcome: string
  constructor(outcome: string) {
    super(`A known write ended as ${outcome}.`)
    this.outcome = outcome
  }
}

/** Puts a known write, its states and the records of the transaction into one statement. */
type Compose = (append: CompiledQuery) => CompiledQuery

/** Binds rows of evidence to the audit log before a transaction is committed: server/kernel/bound/bind.ts. */
export type Binder = {
  /** Reads the rows of these types that the transaction has touched, in one statement. */
  read(tx: Transaction, written: readonly BoundType[]): Promise<Bind>
  /** The same for a write whose rows the process knows: nothing is read. */
  bindKnown(tx: Transaction, known: KnownWrite): Promise<Compose>
  /** Forgets what was written, before the transaction continues. */
  forget(tx: Transaction, written: readonly BoundType[]): Promise<void>
  /** Called after a transaction was rolled back because of `error`. */
  failed(error: unknown): Promise<void>
}

// Owned by this module: set once when the process starts. Without it a transaction that writes evidence can't commit.
let binder: Binder | undefined

export function bindWith(one: Binder): void {
  binder = one
}

/** Called after a transaction was rolled back because of `error`. */
export const reportFailure = async (error: unknown): Promise<void> => binder?.failed(error)

/** The parts of a last statement, which are going to be sent. */
export function takeParts(last: LastStatement): readonly unknown[] {
  last.taken?.()
  return last.parts
}

// Owned by this module: the work at the commit of an open transaction.
const closings = new WeakMap<Transaction, Closing>()

export const keepClosing = (tx: Transaction, closing: Closing): void => void closings.set(tx, closing)

export const newClosing = (): Closing => ({
  notices: new Map(),
  last: undefined,
  sent: 0,
  written: new Set(),
  read: undefined,
  pending: [],
  known: undefined,
  conclusion: undefined,
  states: undefined,
  after: [],
})

function closingOf(tx: Transaction): Closing {
  const closing = closings.get(tx)
  if (closing === undefined) throw new Error('Only a transaction opened by openTransaction() supports work at commit.')
  return closing
}

/** How many statements an open transaction has sent. */
export const statementsOf = (tx: Transaction): number => closingOf(tx).sent

/** Sends a notification with the COMMIT. Repeated notifications are sent once. */
export function onCommit(tx: Transaction, channel: string, topic: string): void {
  closingOf(tx).notices.set(`${channel} ${topic}`, { channel, topic })
}

/**
 * Sends one statement together with the COMMIT: one that must be written last and whose result is not awaited. If it
 * fails, nothing is committed, and the commit throws its error. There can be one per transaction.
 */
export function beforeCommit<Part>(tx: Transaction, last: LastStatement<Part>): void {
  const closing = closingOf(tx)
  if (closing.last !== undefined) throw new Error('The transaction already has a last statement.')
  // Those of one kind have parts of one type.
  closing.last = last as LastStatement
}

/**
 * Sends a statement together with the COMMIT, before the last one. Its result is not awaited, and the rest of the transaction does not
 * see its effect. If it fails, nothing is committed, and the commit throws its error.
 */
export function withCommit(tx: Transaction, statement: CompiledQuery): void {
  // Such rows are bound before the COMMIT.
  if (typesIn(statement.sql).length > 0) throw new Error('Rows of evidence can’t be written with the COMMIT.')
  closingOf(tx).pending.push(statement)
}

/** Calls `then` when the transaction has ended: `committed` if that is known, not if it rolled back, nor if no one knows. */
export function afterEnd(tx: Transaction, then: (committed: boolean) => void): void {
  closingOf(tx).after.push(then)
}

/**
 * Sends a write of evidence whose rows are known with the COMMIT, in one statement with its states and records. If the transaction sends
 * any other statement before, the write is sent with that one, and its rows are read as usual.
 */
export async function writeKnown(tx: Transaction, known: KnownWrite): Promise<void> {
  const closing = closingOf(tx)
  if (closing.known !== undefined) throw new Error('The transaction already has a known write.')
  // Rows that were written before have to be read anyway.
  if (writtenIn(closing).length > 0) await executeKnown(tx, known)
  else closing.known = known
}

export const outcomeIn = (rows: readonly unknown[]): string => String(Reflect.get(Object(rows[0]), 'outcome'))

const alone = ({ call }: KnownWrite): CompiledQuery =>
  CompiledQuery.raw(`select ${call.sql} as outcome`, [...call.parameters])

export async function executeKnown(tx: Pick<Transaction, 'executeQuery'>, known: KnownWrite): Promise<void> {
  const outcome = outcomeIn((await tx.executeQuery(alone(known))).rows)
  if (outcome !== 'done') throw new Unforeseen(outcome)
}

/** What is sent with the COMMIT must not be committed with an unforeseen outcome. */
async function executeIfPending(tx: Transaction, closing: Closing): Promise<void> {
  const { known, pending } = closing
  if (known?.mayDiffer !== true || pending.length === 0) return
  closing.known = undefined
  await executeKnown(tx, known)
}

async function bindKnown(tx: Transaction, closing: Closing): Promise<void> {
  const { known } = closing
  if (known === undefined) return
  if (binder === undefined)
    throw new Error('Rows of evidence can be written only by a process that binds them (bindWith).')
  closing.known = undefined
  closing.conclusion = await binder.bindKnown(tx, known)
}

/** What has to be read and written before the COMMIT. */
export async function prepareCommit(tx: Transaction, closing: Closing): Promise<void> {
  await executeIfPending(tx, closing)
  await bindWritten(tx, closing)
  await bindKnown(tx, closing)
}

/** Writes what is left for the COMMIT now, because the transaction is going to be bound to another tenant. */
export async function writeLast(tx: Transaction): Promise<void> {
  const closing = closingOf(tx)
  const { known } = closing
  closing.known = undefined
  if (known !== undefined) await executeKnown(tx, known)
  const written = writtenIn(closing)
  if (written.length > 0) {
    await bindWritten(tx, closing)
    await binder?.forget(tx, written)
  }
  const { last, pending, states } = closing
  closing.last = undefined
  closing.pending = []
  closing.states = undefined
  for (const statement of pending) await tx.executeQuery(statement)
  if (last !== undefined) await tx.executeQuery(last.compose(takeParts(last), [], states))
}

/**
 * Reads what the COMMIT needs to bind, as the last of several works that are sent in one write (inOneWrite): it saves the COMMIT a write.
 * If the transaction writes evidence after it, the COMMIT reads all of it again.
 */
export async function readWritten(tx: Transaction): Promise<void> {
  const closing = closingOf(tx)
  const types = writtenIn(closing)
  if (types.length === 0 || binder === undefined) return
  const bind = binder.read(tx, types)
  // The COMMIT awaits it, and throws its error.
  bind.catch(() => undefined)
  closing.written.clear()
  closing.read = { types, bind }
}

const writtenIn = ({ written, read }: Closing): readonly BoundType[] => [
  ...new Set([...(read?.types ?? []), ...written]),
]

async function bindWritten(tx: Transaction, closing: Closing): Promise<void> {
  const types = writtenIn(closing)
  if (types.length === 0) return
  if (binder === undefined)
    throw new Error('Rows of evidence can be written only by a process that binds them (bindWith).')
  const read = closing.written.size === 0 ? closing.read?.bind : undefined
  const bind = await (read ?? binder.read(tx, types))
  const states = await bind()
  closing.written.clear()
  closing.read = undefined
  closing.states = states
}

// Owned by this module: the types that a frequent text writes.
const knownTexts = new Map<string, readonly BoundType[]>()
const mostKnownTexts = 4096
const longestKnownText = 8192

export function typesIn(text: string): readonly BoundType[] {
  const types = knownTexts.get(text) ?? writtenBy(text)
  const mayRecur = text.length <= longestKnownText || isConstantText(text)
  if (knownTexts.size < mostKnownTexts && mayRecur) knownTexts.set(text, types)
  return types
}
