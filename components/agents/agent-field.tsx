'use client'

import { useQuery } from '#components/api/query.ts'
import { SelectField } from '#components/forms/select-field.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/agents/en.ts'
import { limits } from '#lib/limits.ts'
import { useTRPC } from '#lib/trpc.ts'

/** The browser's control lacks a value for "not filtered". */
const ALL = 'all'

type AgentFieldProps = {
  label: string
  /** '' means every agent; `all` is its label. */
  agentId: string
  onChange: (agentId: string) => void
  /** Label of the empty choice. */
  all?: string
  /** Label of an id that is not in the list. */
  otherwise?: string
}

/** One of the tenant's agents, as a filter. */
export function AgentField({ label, agentId, onChange, all = t.allAgents, otherwise = t.agent }: AgentFieldProps) {
  const { can } = useSession()
  const trpc = useTRPC()
  const agents = useQuery(trpc.agents.list.queryOptions({ limit: limits.pageRows }, { enabled: can('agent:read') }))
  const known = (agents.data?.items ?? []).map(({ id, displayName }) => ({ value: id, label: displayName }))
  const unknown = agentId !== '' && !known.some(({ value }) => value === agentId)
  return (
    <SelectField
      label={label}
      value={agentId === '' ? ALL : agentId}
      onChange={(value) => onChange(value === ALL ? '' : value)}
      placeholder=""
      options={[
        { value: ALL, label: all },
        ...(unknown ? [{ value: agentId, label: `${otherwise} ${agentId.slice(0, 8)}…` }] : []),
        ...known,
      ]}
      error={agents.error === null ? undefined : t.agentsCouldNotBe}
    />
  )
}
