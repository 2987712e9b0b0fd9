import type { ApprovalSummaries } from '#components/approvals/waiting.ts'
import { byAmount } from '#components/lists/by-amount.ts'
import { type LayoutSearch, layoutSearchFrom } from './layout.ts'

export type Request = ApprovalSummaries[number]

export const idOf = ({ approvalId }: Request): string => approvalId

export const sortOrders = ['expires', 'newest', 'oldest', 'amount', 'risk'] as const
export type SortOrder = (typeof sortOrders)[number]

/** Highest first. */
export const riskTiers = ['critical', 'high', 'medium', 'low'] as const satisfies readonly Request['risk'][]

/** The choices among the values that the list contains. '' does not filter. */
export const choices = ['risk', 'action', 'agent', 'requester', 'environment', 'group'] as const
export type Choice = (typeof choices)[number]

/** For how long a request has been waiting at least, in hours. */
export const ages = { hour: 1, day: 24, week: 7 * 24 } as const
export type Age = keyof typeof ages

/** The filters and the layout in the address. `min` and `max` are amounts in the currency of each request; '' does not filter. */
export type InboxFilter = Record<Choice, string> &
  LayoutSearch & {
    q: string
    min: string
    max: string
    age: Age | ''
    sort: SortOrder
  }

/** Whether a text can be a limit of amounts; '' is none. */
export const isAmountFilter = (text: string): boolean => text === '' || /^\d{1,15}(\.\d{1,4})?$/.test(text)

/** Reads the filters from an address. Amounts that are not numbers, unknown ages and unknown orders are ignored. */
export function filterFrom(search: URLSearchParams): InboxFilter {
  const text = (name: string) => search.get(name) ?? ''
  const amount = (name: string) => (isAmountFilter(text(name)) ? text(name) : '')
  const chosen = Object.fromEntries(choices.map((name) => [name, text(name)])) as Record<Choice, string>
  const sort = sortOrders.find((order) => order === text('sort')) ?? 'expires'
  const age = (Object.keys(ages) as Age[]).find((one) => one === text('age')) ?? ''
  return { ...chosen, ...layoutSearchFrom(search), q: text('q'), min: amount('min'), max: amount('max'), age, sort }
}

/** The filters as they are written into an address, without those that do not filter. */
export function searchOf({ sort, ...filter }: InboxFilter): Record<string, string> {
  const set = Object.entries(filter).filter(([, value]) => value !== '')
  return { ...Object.fromEntries(set), ...(sort === 'expires' ? {} : { sort }) }
}

/** How many filters are set, without the order and the layout. */
export const countFilters = ({ sort: _order, hide: _hide, density: _density, ...filter }: InboxFilter): number =>
  Object.values(filter).filter((value) => value !== '').length

/** What a request shows for each choice. */
export const shownValue: Record<Choice, (request: Request) => string> = {
  risk: ({ risk }) => risk,
  action: ({ action, resource }) => (resource === '' ? action : resource),
  agent: ({ agentName }) => agentName ?? '',
  requester: ({ requestedBy }) => requestedBy.displayName,
  environment: ({ environment }) => environment ?? '',
  group: ({ group }) => group,
}

/** The values that the requests have for a choice, sorted; risks from the highest. */
export function valuesOf(choice: Choice, requests: readonly Request[]): string[] {
  const values = new Set(requests.map(shownValue[choice]).filter((value) => value !== ''))
  if (choice === 'risk') return riskTiers.filter((tier) => values.has(tier))
  return [...values].sort((one, other) => one.localeCompare(other, 'en'))
}

/** What a reviewer may have been given to look for: words of the titles and the facts, or the beginning of an id. */
function contains(request: Request, q: string): boolean {
  const { title, cardTitle = null, agentName, requestedBy, facts, approvalId, payloadDigest } = request
  const texts = [title, cardTitle, agentName, requestedBy.displayName, ...facts.map(({ value }) => value)]
  const text = texts
    .filter((one) => one !== null)
    .join('\n')
    .toLowerCase()
  const ids = [approvalId, payloadDigest, payloadDigest.replace('sha256:', '')]
  const words = q.toLowerCase().split(/\s+/)
  return words.every(
    (word) => text.includes(word) || (word.length >= shortestId && ids.some((id) => id.startsWith(word))),
  )
}

const hourMs = 3_600_000

/** In characters. Nearly every request has an id that contains a given pair of digits. */
const shortestId = 6

function matches(request: Request, filter: InboxFilter, now: number): boolean {
  const { min, max, q, age } = filter
  if (age !== '' && now - Date.parse(request.requestedAt) < ages[age] * hourMs) return false
  for (const choice of choices)
    if (filter[choice] !== '' && shownValue[choice](request) !== filter[choice]) return false
  if (min !== '' || max !== '') {
    if (request.amount === null) return false
    const amount = Number(request.amount.value)
    if ((min !== '' && amount < Number(min)) || (max !== '' && amount > Number(max))) return false
  }
  return contains(request, q)
}

const compare: Record<SortOrder, (one: Request, other: Request) => number> = {
  expires: (one, other) => one.expiresAt.localeCompare(other.expiresAt),
  newest: (one, other) => other.requestedAt.localeCompare(one.requestedAt),
  oldest: (one, other) => one.requestedAt.localeCompare(other.requestedAt),
  amount: (one, other) => byAmount(one.amount, other.amount),
  risk: (one, other) => riskTiers.indexOf(one.risk) - riskTiers.indexOf(other.risk),
}

/** The requests that match at `now`, in the chosen order; equal ones by their expiry. */
export const applyFilter = (requests: readonly Request[], filter: InboxFilter, now: number): Request[] =>
  requests
    .filter((request) => matches(request, filter, now))
    .sort((one, other) => compare[filter.sort](one, other) || compare.expires(one, other))
