'use client'

import { useQuery } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { EXECUTION_STATES } from '#components/executions/execution-status.tsx'
import { SelectField } from '#components/forms/select-field.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { executionsPath } from '#lib/paths.ts'
import { useTRPC } from '#lib/trpc.ts'
import type { ExecutionFilter } from './filter.ts'

/** As many as one answer holds. */
const mostAgents = 200
/** The browser's control has no value of its own for "not filtered". */
const ALL = 'all'

/** State and agent; both stand in the address. */
export function Filters({ filter }: { filter: ExecutionFilter }) {
  const { tenant, can } = useSession()
  const router = useRouter()
  const trpc = useTRPC()
  const agents = useQuery(trpc.agents.list.queryOptions({ limit: mostAgents }, { enabled: can('agent:read') }))
  const show = (change: Partial<ExecutionFilter>) => {
    const { status, agentId } = { ...filter, ...change }
    const search = { ...(status === '' ? {} : { status }), ...(agentId === '' ? {} : { agentId }) }
    router.replace(executionsPath(tenant, search), { scroll: false })
  }
  const known = (agents.data?.items ?? []).map(({ id, displayName }) => ({ value: id, label: displayName }))
  const unknown = filter.agentId !== '' && !known.some(({ value }) => value === filter.agentId)
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
      <SelectField
        label="Agent"
        value={filter.agentId === '' ? ALL : filter.agentId}
        onChange={(value) => show({ agentId: value === ALL ? '' : value })}
        placeholder=""
        options={[
          { value: ALL, label: 'All agents' },
          ...(unknown ? [{ value: filter.agentId, label: `Agent ${filter.agentId.slice(0, 8)}…` }] : []),
          ...known,
        ]}
        error={agents.error === null ? undefined : 'The agents could not be loaded.'}
      />
    </search>
  )
}

const statusFrom = (value: string): ExecutionFilter['status'] =>
  value === 'under-way' ? value : (EXECUTION_STATES.find(({ status }) => status === value)?.status ?? '')
