'use client'

import { AgentField } from '#components/agents/agent-field.tsx'
import { EXECUTION_STATES } from '#components/executions/execution-status.tsx'
import { SelectField } from '#components/forms/select-field.tsx'
import { addressSearch, replaceAddress } from '#components/lists/replace-address.ts'
import { useSession } from '#components/session/session-provider.tsx'
import { executionsPath } from '#lib/paths.ts'
import { type ExecutionFilter, filterFrom } from './filter.ts'

/** The value of a select for "not filtered". */
const ALL = 'all'

/** Filters by state and agent, kept in the address. */
export function Filters({ filter }: { filter: ExecutionFilter }) {
  const { tenant } = useSession()
  const show = (change: Partial<ExecutionFilter>) => {
    const { status, agentId } = { ...filterFrom(addressSearch()), ...change }
    const search = { ...(status === '' ? {} : { status }), ...(agentId === '' ? {} : { agentId }) }
    replaceAddress(executionsPath(tenant, search))
  }
  return (
    <search aria-label="Filter the executions" className="flex flex-wrap gap-x-4 gap-y-3 *:w-full *:narrow:w-60">
      <SelectField
        label="State"
        value={filter.status === '' ? ALL : filter.status}
        onChange={(value) => show({ status: statusFrom(value) })}
        placeholder=""
        options={[
          { value: ALL, label: 'All states' },
          { value: 'under-way', label: 'Running or waiting' },
          ...EXECUTION_STATES.map(({ status, label }) => ({ value: status, label })),
        ]}
      />
      <AgentField label="Agent" agentId={filter.agentId} onChange={(agentId) => show({ agentId })} />
    </search>
  )
}

const statusFrom = (value: string): ExecutionFilter['status'] =>
  value === 'under-way' ? value : (EXECUTION_STATES.find(({ status }) => status === value)?.status ?? '')
