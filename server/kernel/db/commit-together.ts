import type { CompiledQuery } from 'kysely'
import type { Pool } from 'pg'
import type { PooledConnection } from './connection.ts'

/** A transaction that has not begun, and consists of one statement whose result no one reads. */
type Member = {
  connection: PooledConnection
  statement: CompiledQuery
  resolve(): void
  reject(error: unknown): void
}

const mostTogether = 32

// Owned by this module: those that wait while one transaction is under way, by what begins them.
const groups = new WeakMap<Pool, Map<string, Member[]>>()

/**
 * Commits a transaction of one statement. Those of one tenant that arrive while another is under way are sent together afterwards, as one
 * transaction: a tenant's records are appended one after the other, so each would wait for the disk once for each before it. If one
 * of them fails, none is committed, and then each is committed on its own: one that fails fails alone.
 */
export async function commitTogether(
  pool: Pool,
  beginning: string,
  { connection, statement }: Pick<Member, 'connection' | 'statement'>,
): Promise<void> {
  const ofPool = groups.get(pool) ?? new Map<string, Member[]>()
  groups.set(pool, ofPool)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const member = { connection, statement, resolve, reject }
  const waiting = ofPool.get(beginning)
  if (waiting !== undefined) {
    waiting.push(member)
    return await promise
  }
  const next: Member[] = []
  ofPool.set(beginning, next)
  for (let together = [member]; together.length > 0; together = next.splice(0, mostTogether))
    await commitAll(beginning, together)
  ofPool.delete(beginning)
  await promise
}

/** Never fails: each member gets its result. */
async function commitAll(beginning: string, members: Member[]): Promise<void> {
  const [first] = members
  if (first === undefined) return
  const outcome = await send(first.connection, beginning, members)
  if (outcome === 'committed') for (const { resolve } of members) resolve()
  else if (outcome.rolledBack && members.length > 1) for (const one of members) await commitAll(beginning, [one])
  else for (const { reject } of members) reject(outcome.error)
}

async function send(
  connection: PooledConnection,
  beginning: string,
  members: readonly Member[],
): Promise<'committed' | { error: unknown; rolledBack: boolean }> {
  const [ended, ...before] = await Promise.allSettled([
    connection.send(beginning),
    ...members.map(({ statement }) => connection.executeQuery(statement)),
    connection.send('commit'),
  ]).then((settled) => [settled.at(-1), ...settled.slice(0, -1)])
  const failed = before.find((one) => one?.status === 'rejected')
  // Without an answer to the COMMIT, no one knows whether it was committed.
  if (ended?.status !== 'fulfilled') return { error: ended?.reason, rolledBack: false }
  if (failed?.status === 'rejected') return { error: failed.reason, rolledBack: true }
  if (ended.value !== 'COMMIT')
    return {
      error: new Error('The transaction was rolled back because one of its statements failed.'),
      rolledBack: true,
    }
  return 'committed'
}
