import { type Days, dayFrom, periodOf } from '#components/lists/period.ts'
import { spanKinds } from '#components/traces/grid/span-kind.tsx'
import type { SpanKind } from '#lib/schemas/traces.ts'

const statuses = ['open', 'ok', 'error'] as const
export type TraceStatus = (typeof statuses)[number]

/** The filters in the address. '' does not filter. */
export type TraceFilter = { text: string; agentId: string; status: TraceStatus | ''; kind: SpanKind | '' } & Days

export const noFilter: TraceFilter = { text: '', agentId: '', status: '', kind: '', from: '', to: '' }

export const statusFrom = (word: string | null): TraceFilter['status'] => statuses.find((one) => one === word) ?? ''
export const kindFrom = (word: string | null): TraceFilter['kind'] => spanKinds.find((one) => one === word) ?? ''

/** Reads the filter from an address. Invalid states, kinds, ids and days are ignored. */
export function filterFrom(search: { get(name: string): string | null }): TraceFilter {
  const agentId = search.get('agentId') ?? ''
  return {
    text: (search.get('text') ?? '').slice(0, 100),
    agentId: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(agentId) ? agentId : '',
    status: statusFrom(search.get('status')),
    kind: kindFrom(search.get('kind')),
    from: dayFrom(search.get('from')),
    to: dayFrom(search.get('to')),
  }
}

/** Returns the filter as search parameters of the address. */
export const searchOf = (filter: TraceFilter): Record<string, string> =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value.trim() !== ''))

export const countSet = (filter: TraceFilter): number => Object.keys(searchOf(filter)).length

/** Returns the filter as input of `traces.list`. */
export const inputOf = ({ text, agentId, status, kind, from, to }: TraceFilter) => ({
  ...(text.trim() === '' ? {} : { text: text.trim() }),
  ...(agentId === '' ? {} : { agentId }),
  ...(status === '' ? {} : { status }),
  ...(kind === '' ? {} : { kind }),
  ...periodOf({ from, to }),
})
