'use client'

import { AgentField } from '#components/agents/agent-field.tsx'
import { useQuery } from '#components/api/query.ts'
import { EXECUTION_STATES } from '#components/executions/execution-status.tsx'
import { SelectField } from '#components/forms/select-field.tsx'
import { addressSearch, replaceAddress } from '#components/lists/address.ts'
import { FilterFold } from '#components/lists/filter-fold.tsx'
import { PeriodFields } from '#components/lists/period-fields.tsx'
import { TypedField } from '#components/lists/typed-field.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/executions/en.ts'
import { limits } from '#lib/limits.ts'
import { executionsPath } from '#lib/paths.ts'
import type { ExecutionSummary } from '#lib/schemas/executions.ts'
import { useTRPC } from '#lib/trpc.ts'
import { countFilters, type ExecutionFilter, filterFrom, type SortOrder, searchOf } from './filter.ts'

/** The value of a select for "not filtered". */
const ALL = t.allValues

const ORDERS: Record<SortOrder, string> = {
  newest: t.newestFirst,
  oldest: t.oldestFirst,
  amount: t.largestAmountFirst,
}

/** How long typing pauses before the server searches, in milliseconds. */
const typingPauseMs = 300

type Option = { value: string; label: string }

/** Search, filters and order, kept in the address. `rows`: the listed executions, whose starters can be chosen. */
export function Filters({ filter, rows }: { filter: ExecutionFilter; rows: readonly ExecutionSummary[] }) {
  const { tenant, me } = useSession()
  const show = (change: Partial<ExecutionFilter>) =>
    replaceAddress(executionsPath(tenant, searchOf({ ...filterFrom(addressSearch()), ...change })))
  const starters = new Map([
    [me.principal.id, t.you],
    ...rows
      .filter(({ startedBy }) => startedBy.id !== me.principal.id)
      .map(({ startedBy }): [string, string] => [startedBy.id, startedBy.displayName]),
  ])
  const select = (name: 'environment' | 'startedBy' | 'status', label: string, all: string, options: Option[]) => (
    <SelectField
      label={label}
      value={filter[name] === '' ? ALL : filter[name]}
      onChange={(value) => show({ [name]: filterFrom(new URLSearchParams({ [name]: value }))[name] })}
      placeholder=""
      options={[{ value: ALL, label: all }, ...withChosen(options, filter[name], name)]}
    />
  )
  return (
    <FilterFold
      label={t.filterExecutions}
      set={countFilters(filter)}
      onClear={() => show({ ...filterFrom(new URLSearchParams()), sort: filter.sort })}
    >
      <TypedField
        label={t.search}
        placeholder={t.effectFactOrId}
        type="search"
        value={filter.q}
        onChange={(q) => show({ q })}
        whyNot={(text) =>
          text.length > limits.searchText ? t.atMostCharacters({ searchText: limits.searchText }) : undefined
        }
        pause={typingPauseMs}
      />
      {select('status', t.state, t.allStates, [
        { value: 'under-way', label: t.runningOrWaiting },
        ...EXECUTION_STATES.map(({ status, label }) => ({ value: status, label })),
      ])}
      <AgentField label={t.agent} agentId={filter.agentId} onChange={(agentId) => show({ agentId })} />
      {select('environment', t.environment, t.allEnvironments, useEnvironments())}
      {select(
        'startedBy',
        t.startedBy,
        t.everyone,
        [...starters].map(([value, label]) => ({ value, label })),
      )}
      <PeriodFields days={filter} onChange={({ from, to }) => show({ from, to })} />
      <SelectField
        label={t.order}
        value={filter.sort}
        onChange={(sort) => show({ sort: filterFrom(new URLSearchParams({ sort })).sort })}
        placeholder=""
        options={Object.entries(ORDERS).map(([value, label]) => ({ value, label }))}
      />
    </FilterFold>
  )
}

/** Adds the value in the address to the options if it is not one of them. */
const withChosen = (options: Option[], value: string, name: string): Option[] =>
  value === '' || options.some((option) => option.value === value)
    ? options
    : [...options, { value, label: name === 'startedBy' ? t.someoneElse({ id: value.slice(0, 8) }) : value }]

/** The environments in which agents have an active release. */
function useEnvironments(): Option[] {
  const { can } = useSession()
  const trpc = useTRPC()
  const agents = useQuery(trpc.agents.list.queryOptions({ limit: limits.pageRows }, { enabled: can('agent:read') }))
  const names = (agents.data?.items ?? []).flatMap(({ activeReleases }) =>
    activeReleases.map(({ environment }) => environment),
  )
  return [...new Set(names)].sort().map((value) => ({ value, label: value }))
}
