import { ApiError, notFound } from '#lib/errors.ts'
import { type AgentStatus, OperateAgentInput, OperateAgentOutput } from '#lib/schemas/agents.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { tellChannels } from '#server/notifications/tell-channels.ts'
import { type StopKind, tellExecutions } from './stops.ts'
import { findAgent, setAgentStatus } from './store.ts'

/** active ⇄ suspended → retired: one operation per transition. */
export const changeOf = (kind: StopKind, from: AgentStatus, to: AgentStatus) =>
  mutation({
    permission: 'agent:operate',
    input: OperateAgentInput,
    output: OperateAgentOutput,
    audit: (input, output) => ({
      action: `agent.${kind}`,
      resource: { type: 'agent', id: input.id },
      reason: input.reason,
      details: { from, to, stopping: output?.stopping, parked: output?.parked },
    }),
    async run({ tx, tenant, input }) {
      const agent = await findAgent(tx, tenant.id, input.id)
      if (agent === undefined) throw notFound()
      if (agent.status !== from)
        throw refuse('conflict', `The agent is ${agent.status}. Only an agent with the status ${from} can be ${kind}.`)
      const revision = await setAgentStatus(tx, tenant.id, agent.id, input.expectedRevision, from, to)
      if (revision === undefined)
        throw new ApiError('revision_conflict', 'This agent changed after you opened it. Reload it and try again.', {
          details: { revision: agent.revision },
        })
      if (kind === 'suspended') await tellChannels(tx, tenant.id, 'agent.suspended', agent.id)
      const { stopping, parked } = await tellExecutions(kind, tx, tenant.id, agent.id, input.reason)
      return { id: agent.id, status: to, revision, stopping, parked }
    },
  })
