import type { Transaction } from '#server/kernel/db/database.ts'

/** In the order of their names, with the registered agent of the same name. */
export const listObserved = (tx: Transaction, tenantId: string, limit: number, after: string | undefined) => {
  const query = tx
    .selectFrom('observedAgents as observed')
    .leftJoin('agents as agent', (join) =>
      join.onRef('agent.tenantId', '=', 'observed.tenantId').onRef('agent.name', '=', 'observed.name'),
    )
    .select(['observed.name', 'observed.firstSeenAt', 'observed.lastSeenAt', 'observed.lastTraceId', 'agent.id'])
    .where('observed.tenantId', '=', tenantId)
    .orderBy('observed.name')
    .limit(limit)
  return (after === undefined ? query : query.where('observed.name', '>', after)).execute()
}
