import type { CompiledQuery } from 'kysely'
import type { Pool } from 'pg'
import type { Beginning } from './beginning.ts'
import { type LastStatement, type Notice, takeParts } from './closing.ts'
import type { PooledConnection } from './connection.ts'

/** A transaction that has not begun, and consists of one statement whose result no one reads. Its connection is used if it is sent first, or alone. */
type Member = {
  connection: PooledConnection
  last: LastStatement
  notices: ReadonlyMap<string, Notice>
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
  beginning: Beginning,
  own: Pick<Member, 'connection' | 'last' | 'notices'>,
): Promise<void> {
  const ofPool = groups.get(pool) ?? new Map<string, Member[]>()
  groups.set(pool, ofPool)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const member = { ...own, resolve, reject }
  const waiting = ofPool.get(beginning.key)
  if (waiting !== undefined) {
    waiting.push(member)
    return await promise
  }
  const next: Member[] = []
  ofPool.set(beginning.key, next)
  // Not awaited: the first member has its result after its own round, however many follow it.
  void commitInRounds(beginning, member, next, () => ofPool.delete(beginning.key))
  await promise
}

/** `end` is called in the step that has found no one waiting: who comes later begins a round. */
async function commitInRounds(beginning: Beginning, first: Member, next: Member[], end: () => void): Promise<void> {
  for (let together = [first]; together.length > 0; together = next.splice(0, mostTogether))
    await commitAll(beginning, together)
  end()
}

/** Never fails: each member gets its result. */
async function commitAll(beginning: Beginning, members: Member[]): Promise<void> {
  const [first] = members
  if (first === undefined) return
  const outcome = await send(first.connection, beginning, members)
  if (outcome === 'committed') for (const { resolve } of members) resolve()
  // Each on its own connection, at the same time: one that waits for a lock does not keep the others waiting.
  else if (outcome.rolledBack && members.length > 1)
    await Promise.all(members.map((one) => commitAll(beginning, [one])))
  else for (const { reject } of members) reject(outcome.error)
}

async function send(
  connection: PooledConnection,
  beginning: Beginning,
  members: readonly Member[],
): Promise<'committed' | { error: unknown; rolledBack: boolean }> {
  let statements: CompiledQuery[]
  try {
    statements = statementsFor(members)
  } catch (error) {
    return { error, rolledBack: true }
  }
  const [ended, ...before] = await Promise.allSettled([
    beginning.on(connection),
    ...statements.map((statement) => connection.executeQuery(statement)),
    connection.commit(),
  ]).then((settled) => [settled.at(-1), ...settled.slice(0, -1)])
  const failed = before.find((one) => one?.status === 'rejected')
  // Without an answer to the COMMIT, no one knows whether it was committed.
  if (ended?.status !== 'fulfilled') return { error: ended?.reason, rolledBack: false }
  if (failed === undefined && ended.value === 'COMMIT') return 'committed'
  const error =
    failed?.status === 'rejected'
      ? failed.reason
      : new Error('The transaction was rolled back because one of its statements failed.')
  // PostgreSQL may have committed a statement whose result could not be read here: that is not repeated.
  return { error, rolledBack: ended.value === 'ROLLBACK' }
}

/** One for all, if they do the same: it costs much less than one for each. */
function statementsFor(members: readonly Member[]): CompiledQuery[] {
  const [first] = members
  if (first === undefined) return []
  if (members.some(({ last }) => last.kind !== first.last.kind))
    return members.map(({ last, notices }) => last.compose(takeParts(last), [...notices.values()]))
  const notices = new Map(members.flatMap((member) => [...member.notices]))
  const parts = members.flatMap(({ last }) => takeParts(last))
  return [first.last.compose(parts, [...notices.values()])]
}
