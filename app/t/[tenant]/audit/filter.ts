import { type Days, dayFrom, periodOf } from '#components/lists/period.ts'

/** The filters in the address. '' does not filter. */
export type AuditFilter = { action: string; actorId: string; resourceId: string } & Days

export const noFilter: AuditFilter = { action: '', actorId: '', resourceId: '', from: '', to: '' }

export const filterFrom = (search: { get(name: string): string | null }): AuditFilter => ({
  action: search.get('action') ?? '',
  actorId: search.get('actorId') ?? '',
  resourceId: search.get('resourceId') ?? '',
  from: dayFrom(search.get('from')),
  to: dayFrom(search.get('to')),
})

const set = (filter: AuditFilter) => Object.entries(filter).filter(([, value]) => value !== '')

export const countSet = (filter: AuditFilter): number => set(filter).length

/** Returns the filter as search parameters of the address. */
export const searchOf = (filter: AuditFilter) => Object.fromEntries(set(filter))

/** Returns the filter as input of `audit.list`. */
export const inputOf = ({ from, to, ...words }: AuditFilter) => ({
  ...Object.fromEntries(Object.entries(words).filter(([, word]) => word !== '')),
  ...periodOf({ from, to }),
})
