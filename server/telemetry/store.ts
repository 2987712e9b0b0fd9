import type { Transaction } from '#server/kernel/db/database.ts'

/** In the order of their names, with the registered agent of the same name. */
export const listObserved = (
  tx: Transaction,
  tenantId: string,
  { limit, cursor, registered }: { limit: number; cursor?: string | undefined; registered?: boolean | undefined },
) =>
  tx
    .selectFrom('observedAgents as observed')
    .leftJoin('agents as agent', (join) =>
      join.onRef('agent.tenantId', '=', 'observed.tenantId').onRef('agent.name', '=', 'observed.name'),
    )
    .select(['observed.name', 'observed.firstSeenAt', 'observed.lastSeenAt', 'observed.lastTraceId', 'agent.id'])
    .where('observed.tenantId', '=', tenantId)
    .$if(cursor !== undefined, (q) => q.where('observed.name', '>', cursor ?? ''))
    .$if(registered !== undefined, (q) => q.where('agent.id', registered === true ? 'is not' : 'is', null))
    .orderBy('observed.name')
    .limit(limit)
    .execute()
