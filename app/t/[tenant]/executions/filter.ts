import { EXECUTION_STATES, LIVE_STATUSES } from '#components/executions/execution-status.tsx'
import { isPathParameter } from '#lib/paths.ts'
import type { ExecutionStatus } from '#lib/schemas/executions.ts'

/** The filters in the address: a state or every state that can still change, and an agent's id. '' does not filter. */
export type ExecutionFilter = { status: ExecutionStatus | 'under-way' | ''; agentId: string }

/** Reads the filters from an address. Unknown states and invalid ids are ignored. */
export function filterFrom(search: URLSearchParams): ExecutionFilter {
  const status = search.get('status')
  const agentId = search.get('agentId') ?? ''
  const known = EXECUTION_STATES.find((state) => state.status === status)?.status
  return {
    status: status === 'under-way' ? status : (known ?? ''),
    agentId: UUID.test(agentId) && isPathParameter(agentId) ? agentId : '',
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns the filters as input of `executions.list`. */
export function inputOf({ status, agentId }: ExecutionFilter) {
  return {
    ...(status === '' ? {} : { status: status === 'under-way' ? LIVE_STATUSES : [status] }),
    ...(agentId === '' ? {} : { agentId }),
  }
}
