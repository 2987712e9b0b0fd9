import { type Days, dayFrom, periodOf } from '#components/lists/period.ts'

/** What the address asks for; '' is everything. */
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

/** The filter as a part of the address. */
export const searchOf = (filter: AuditFilter) => Object.fromEntries(set(filter))

/** As audit.list takes it. */
export const inputOf = ({ from, to, ...words }: AuditFilter) => ({
  ...Object.fromEntries(Object.entries(words).filter(([, word]) => word !== '')),
  ...periodOf({ from, to }),
})
