import { ExecutionStatus } from '#lib/schemas/executions.ts'
import { AgentActivityInput, AgentActivityList } from '#lib/schemas/home/overview.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import { query } from '#server/kernel/operation.ts'
import { figureDaysIn } from './days.ts'
import { countPendingOfAgents, countRunsOfAgents, listNewestRuns } from './figures-store.ts'

/** agents.activity: what agents of a list have done in two weeks, and what waits.. */
export const activity = query({
  permission: 'execution:read',
  input: AgentActivityInput,
  output: AgentActivityList,
  async run({ tx, tenant, principal: { permissions }, input }) {
    const agentIds = [...new Set(input.agentIds)]
    const days = figureDaysIn(input.timeZone, (await databaseClock(tx))())
    const newest = await listNewestRuns(tx, tenant.id, agentIds)
    const counted = await countRunsOfAgents(tx, tenant.id, agentIds, days)
    const pending = permissions.has('approval:list') ? await countPendingOfAgents(tx, tenant.id, agentIds) : undefined
    return {
      days: days.map(({ from }) => from.toISOString()),
      items: newest.map(({ agentId, executionId, status, startedAt, running, waitingInput }) => {
        const byDay = days.map(() => ({ ended: 0, failed: 0 }))
        for (const { day, ended, failed, agentId: of } of counted) if (of === agentId) byDay[day] = { ended, failed }
        return {
          agentId,
          lastRun:
            executionId === null || startedAt === null
              ? null
              : { executionId, status: ExecutionStatus.parse(status), startedAt: startedAt.toISOString() },
          running,
          waitingInput,
          pendingApprovals: pending === undefined ? null : (pending.find((one) => one.agentId === agentId)?.count ?? 0),
          byDay,
        }
      }),
    }
  },
})
