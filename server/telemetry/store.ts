import type { Transaction } from '#server/kernel/db/database.ts'

/** The number of names that a page searches for matches. */
const searched = 5000

/** The names that a page searches, in order. */
const window = (tx: Transaction, tenantId: string, cursor: string | undefined) =>
  tx
    .selectFrom('observedAgents')
    .select(['tenantId', 'name', 'firstSeenAt', 'lastSeenAt', 'lastTraceId'])
    .where('tenantId', '=', tenantId)
    .$if(cursor !== undefined, (q) => q.where('name', '>', cursor ?? ''))
    .orderBy('name')
    .limit(searched)

/** Returns agents ordered by name, with the registered agent of the same name. */
export const listObserved = (
  tx: Transaction,
  tenantId: string,
  { limit, cursor, registered }: { limit: number; cursor?: string | undefined; registered?: boolean | undefined },
) =>
  tx
    .selectFrom(window(tx, tenantId, cursor).as('observed'))
    // One index lookup for each name, regardless of the number of agents.
    .leftJoinLateral(
      (e) =>
        e
          .selectFrom('agents')
          .select('agents.id')
          .whereRef('agents.tenantId', '=', 'observed.tenantId')
          .whereRef('agents.name', '=', 'observed.name')
          .limit(1)
          .as('agent'),
      (join) => join.onTrue(),
    )
    .select(['observed.name', 'observed.firstSeenAt', 'observed.lastSeenAt', 'observed.lastTraceId', 'agent.id'])
    .$if(registered !== undefined, (q) => q.where('agent.id', registered === true ? 'is not' : 'is', null))
    .orderBy('observed.name')
    .limit(limit)
    .execute()

/** The last name that a page searched, if more names may follow. */
export async function findLastObserved(tx: Transaction, tenantId: string, cursor: string | undefined) {
  const row = await tx
    .selectFrom(window(tx, tenantId, cursor).as('observed'))
    .select((e) => [e.fn.max('observed.name').as('name'), e.fn.countAll<string>().as('count')])
    .executeTakeFirstOrThrow()
  return Number(row.count) === searched ? row.name : null
}
