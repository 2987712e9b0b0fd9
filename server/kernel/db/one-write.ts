import { statementsOf, type Transaction } from './closing.ts'
import type { OpenTransaction } from './transaction.ts'

/** Steps of the microtask queue: a work that has not sent a statement by then waits for something else. */
const mostSteps = 100

type Works = readonly (() => Promise<unknown>)[]

/** Starts a work, and waits until it has sent a statement, has ended, or waits for something else. */
async function start<T>(tx: Transaction, work: () => Promise<T>): Promise<{ running: Promise<T>; hasSent: boolean }> {
  const before = statementsOf(tx)
  let settled = false
  const settle = () => {
    settled = true
  }
  const running = work()
  // Also keeps an error that comes while another work is awaited from counting as unhandled.
  running.then(settle, settle)
  for (let step = 0; statementsOf(tx) === before && !settled && step < mostSteps; step++) await undefined
  return { running, hasSent: statementsOf(tx) !== before }
}

/**
 * Runs works of which none needs another's result, and returns their results. Each starts when the one before it has sent its first
 * statement: all go out in one write, and PostgreSQL executes them, and takes their locks, in the order of the list. A work that waits
 * for something else first delays those after it. Throws the first error; the transaction must be rolled back then.
 */
export async function inOneWrite<const W extends Works>(
  tx: Transaction,
  works: W,
): Promise<{ -readonly [K in keyof W]: Awaited<ReturnType<W[K]>> }> {
  const started: Promise<unknown>[] = []
  for (const work of works) {
    const { running, hasSent } = await start(tx, work)
    started.push(running)
    if (!hasSent) await running
  }
  return (await Promise.all(started)) as { -readonly [K in keyof W]: Awaited<ReturnType<W[K]>> }
}

/** Statements of one turn are sent within these steps of each other, whatever composes them. */
const stepsBetween = 20

/** For work that sends all its statements in one turn and writes nothing: BEGIN, statements and COMMIT are one write. */
export async function readingOnce<T>(
  { tx, commit }: OpenTransaction,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const { running } = await start(tx, async () => await work(tx))
  for (let sent = statementsOf(tx), step = 0; step < stepsBetween; step++) {
    await undefined
    if (statementsOf(tx) !== sent) step = 0
    sent = statementsOf(tx)
  }
  const [read, committed] = await Promise.allSettled([running, commit()])
  // The COMMIT only reports that a statement failed.
  if (read.status === 'rejected') throw read.reason
  if (committed.status === 'rejected') throw committed.reason
  return read.value
}
