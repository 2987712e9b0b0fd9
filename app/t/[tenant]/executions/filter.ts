import { EXECUTION_STATES, LIVE_STATUSES } from '#components/executions/execution-status.tsx'
import { type Days, dayFrom, periodOf } from '#components/lists/period.ts'
import { limits, slugPattern } from '#lib/limits.ts'
import type { ExecutionStatus } from '#lib/schemas/executions.ts'

export const sortOrders = ['newest', 'oldest', 'amount'] as const
export type SortOrder = (typeof sortOrders)[number]

/** The filters in the address: a state or every state that can still change, and ids. '' does not filter. */
export type ExecutionFilter = {
  q: string
  status: ExecutionStatus | 'under-way' | ''
  agentId: string
  environment: string
  startedBy: string
  sort: SortOrder
} & Days

/** Reads the filters from an address. Unknown states and orders, and invalid ids, names and days are ignored. */
export function filterFrom(search: URLSearchParams): ExecutionFilter {
  const text = (name: string) => search.get(name) ?? ''
  const matching = (name: string, pattern: RegExp) => (pattern.test(text(name)) ? text(name) : '')
  const known = EXECUTION_STATES.find((state) => state.status === text('status'))?.status
  return {
    q: text('q').slice(0, limits.searchText),
    status: text('status') === 'under-way' ? 'under-way' : (known ?? ''),
    agentId: matching('agentId', UUID),
    environment: matching('environment', slugPattern),
    startedBy: matching('startedBy', UUID),
    from: dayFrom(search.get('from')),
    to: dayFrom(search.get('to')),
    sort: sortOrders.find((order) => order === text('sort')) ?? 'newest',
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The filters as they are written into an address, without those that do not filter. */
export function searchOf({ sort, ...filter }: ExecutionFilter): Record<string, string> {
  const set = Object.entries(filter).filter(([, value]) => value !== '')
  return { ...Object.fromEntries(set), ...(sort === 'newest' ? {} : { sort }) }
}

/** How many filters are set, without the order. */
export const countFilters = ({ sort: _, ...filter }: ExecutionFilter): number =>
  Object.values(filter).filter((value) => value !== '').length

/** Returns the filters as input of `executions.list`. It does not know amounts, which are encrypted: the page orders by them. */
export function inputOf({ q, status, agentId, environment, startedBy, sort, from, to }: ExecutionFilter) {
  return {
    ...(q.trim() === '' ? {} : { q: q.trim() }),
    ...(status === '' ? {} : { status: status === 'under-way' ? LIVE_STATUSES : [status] }),
    ...(agentId === '' ? {} : { agentId }),
    ...(environment === '' ? {} : { environment }),
    ...(startedBy === '' ? {} : { startedBy }),
    ...(sort === 'oldest' ? { sort } : {}),
    ...periodOf({ from, to }),
  }
}
