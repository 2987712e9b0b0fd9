import { createPreference } from '#components/layout/preference.ts'
import * as t from '#components/texts/inbox-layout/en.ts'

/** The columns that a reader can hide. */
export const columnLabels = {
  risk: t.risk,
  amount: t.amount,
  usual: t.againstUsual,
  agent: t.agent,
  requester: t.requestedBy,
  requested: t.requested,
  expires: t.expires,
  group: t.waitingFor,
} as const
export type ColumnKey = keyof typeof columnLabels
export const columnKeys = Object.keys(columnLabels) as ColumnKey[]

export const densities = { compact: t.compact, comfortable: t.comfortable } as const
export type Density = keyof typeof densities

export type Layout = { hidden: readonly ColumnKey[]; density: Density }

/** Until a reader chooses: a filter shows the requests of one group, and the titles need the width. */
const hiddenAtFirst = 'group'

/** The layout as an address has it: '' leaves it to the browser. `hide` is a list of columns, or `none`. */
export type LayoutSearch = { hide: string; density: Density | '' }

export function layoutSearchFrom(search: URLSearchParams): LayoutSearch {
  const density = (Object.keys(densities) as Density[]).find((one) => one === search.get('density')) ?? ''
  const hide = search.get('hide') ?? ''
  const known = columnKeys.filter((key) => hide.split(',').includes(key))
  return { hide: hide === 'none' ? hide : known.join(','), density }
}

export const searchOfLayout = ({ hidden, density }: Layout): LayoutSearch => ({
  hide: hidden.length === 0 ? 'none' : columnKeys.filter((key) => hidden.includes(key)).join(','),
  density,
})

/** What the address says, otherwise what was chosen last in this browser, and otherwise the usual. */
export function layoutOf(address: LayoutSearch, remembered: LayoutSearch): Layout {
  const hide = address.hide || remembered.hide || hiddenAtFirst
  const density = address.density === '' ? remembered.density : address.density
  return {
    hidden: columnKeys.filter((key) => hide.split(',').includes(key)),
    density: density === '' ? 'compact' : density,
  }
}

/** The last layout that was chosen in this browser, as the part of an address. */
const remembered = createPreference<string>({
  key: 'countersign-inbox-layout',
  fallback: '',
  isValue: (text): text is string => text.length <= 200,
})

export function useLayout(address: LayoutSearch): [Layout, remember: (layout: Layout) => void] {
  const [last, setLast] = remembered.use()
  return [
    layoutOf(address, layoutSearchFrom(new URLSearchParams(last))),
    (layout) => setLast(new URLSearchParams(searchOfLayout(layout)).toString()),
  ]
}
