import { CompiledQuery } from 'kysely'
import { type Closing, type LastStatement, type Notice, outcomeIn, takeParts, Unforeseen } from './closing.ts'
import type { PooledConnection } from './connection.ts'

const tellText = 'select tell_others($1, $2)'
const tell = (notices: readonly Notice[]): CompiledQuery =>
  CompiledQuery.raw(tellText, [notices.map(({ channel }) => channel), notices.map(({ topic }) => topic)])

/** Whether anything is sent with the COMMIT. */
export const hasLast = ({ notices, last, pending, conclusion }: Closing): boolean =>
  notices.size > 0 || last !== undefined || pending.length > 0 || conclusion !== undefined

/** The last statement of a transaction that consists of it. */
export const onlyLast = ({ last, pending, conclusion }: Closing): LastStatement | undefined =>
  pending.length === 0 && conclusion === undefined ? last : undefined

/** SQLSTATE of bind_and_append() for an object that another transaction has bound since it was read or written (migration 0119). */
const boundElsewhere = 'CS003'
const isBoundElsewhere = (error: unknown): boolean => Reflect.get(Object(error), 'code') === boundElsewhere

/** Returns the tag of the COMMIT; throws the error of the last statement. */
export async function sendCommit(connection: PooledConnection, closing: Closing): Promise<string> {
  const { notices, last, pending, conclusion, states } = closing
  const told = [...notices.values()]
  if (conclusion !== undefined && states !== undefined) throw new Error('unreachable: rows are known, or read')
  if (last === undefined && states !== undefined) throw new Error('unreachable: states belong to a record')
  const append = last?.compose(takeParts(last), told, states)
  if (conclusion !== undefined && append === undefined) throw new Error('unreachable: states have a record')
  const ending = append && (conclusion?.(append) ?? append)
  const telling = last === undefined && told.length > 0 ? tell(told) : undefined
  const statements = [
    ...pending,
    ...(ending === undefined ? [] : [ending]),
    ...(telling === undefined ? [] : [telling]),
  ]
  if (statements.length === 0) return await connection.commit()
  const [committed, ...written] = await Promise.allSettled([
    ...statements.map((statement) => connection.executeQuery(statement)),
    connection.commit(),
  ]).then((settled) => [settled.at(-1), ...settled.slice(0, -1)])
  for (const one of [...written, committed])
    if (one?.status === 'rejected')
      throw conclusion !== undefined && isBoundElsewhere(one.reason) ? new Unforeseen('bound elsewhere') : one.reason
  if (conclusion !== undefined) {
    const concluded = written.at(-1)
    const rows = concluded?.status === 'fulfilled' && typeof concluded.value === 'object' ? concluded.value.rows : []
    const outcome = outcomeIn(rows)
    if (outcome !== 'done') throw new Unforeseen(outcome)
  }
  return String(committed?.status === 'fulfilled' ? committed.value : '')
}
