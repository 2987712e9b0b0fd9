'use client'

import { useQuery } from '#components/api/query.ts'
import { actionText } from '#components/audit/sentence-text.ts'
import { useNames } from '#components/audit/use-names.ts'
import { SelectField } from '#components/forms/select-field.tsx'
import { addressSearch, replaceAddress } from '#components/lists/address.ts'
import { FilterFold } from '#components/lists/filter-fold.tsx'
import { PeriodFields } from '#components/lists/period-fields.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/audit/en.ts'
import { actorObject } from '#lib/audit/object-names.ts'
import { auditPath } from '#lib/paths.ts'
import { useTRPC } from '#lib/trpc.ts'
import { type AuditFilter, countSet, filterFrom, noFilter, searchOf } from './filter.ts'
import { ObjectField } from './object-field.tsx'

/** The value of a select for "not filtered". */
const ALL = 'all'

/** Filters by action, actor, object and day, kept in the address. The options are the values that occur in the log. */
export function Filters({ filter }: { filter: AuditFilter }) {
  const { tenant } = useSession()
  const trpc = useTRPC()
  const facets = useQuery(trpc.audit.facets.queryOptions({}, { staleTime: 60_000 }))
  const show = (change: Partial<AuditFilter>) =>
    replaceAddress(auditPath(tenant, searchOf({ ...filterFrom(addressSearch()), ...change })))
  const failed = facets.error === null ? undefined : t.optionsCouldNotBe
  const actions = (facets.data?.actions ?? [])
    .map((action) => ({ value: action, label: actionText(action) }))
    .sort((a, b) => a.label.localeCompare(b.label, 'en'))
  const nameOf = useNames((facets.data?.actors ?? []).map(actorObject))
  const actors = (facets.data?.actors ?? []).map((actor) => ({
    value: actor.id,
    label: nameOf(actorObject(actor)) ?? actor.name,
  }))
  return (
    <FilterFold label={t.filterRecords} set={countSet(filter)} onClear={() => show(noFilter)}>
      <SelectField
        label={t.what}
        value={filter.action === '' ? ALL : filter.action}
        onChange={(value) => show({ action: value === ALL ? '' : value })}
        placeholder=""
        options={[
          { value: ALL, label: t.allActions },
          ...withChosen(actions, filter.action, actionText(filter.action)),
        ]}
        error={failed}
      />
      <SelectField
        label={t.who}
        value={filter.actorId === '' ? ALL : filter.actorId}
        onChange={(value) => show({ actorId: value === ALL ? '' : value })}
        placeholder=""
        options={[
          { value: ALL, label: t.everyone },
          ...withChosen(actors, filter.actorId, t.someoneElse({ id: filter.actorId.slice(0, 8) })),
        ]}
        error={failed}
      />
      <ObjectField resourceId={filter.resourceId} onChange={(resourceId) => show({ resourceId })} />
      <PeriodFields days={filter} onChange={({ from, to }) => show({ from, to })} />
    </FilterFold>
  )
}

type Option = { value: string; label: string }

/** Adds the value in the address to the options if it is not one of them. */
const withChosen = (options: Option[], value: string, label: string): Option[] =>
  value === '' || options.some((option) => option.value === value) ? options : [{ value, label }, ...options]
