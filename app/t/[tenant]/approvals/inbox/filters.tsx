'use client'

import { viewFromSearch } from '#components/approvals/view.ts'
import { SelectField } from '#components/forms/select-field.tsx'
import { addressSearch, replaceAddress } from '#components/lists/address.ts'
import { FilterFold } from '#components/lists/filter-fold.tsx'
import { TypedField } from '#components/lists/typed-field.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approvals/en.ts'
import { riskWord } from '#components/ui/status/risk-bars.tsx'
import { approvalsPath } from '#lib/paths.ts'
import { riskTiers } from '#lib/rules/risk.ts'
import { visibleText } from '#lib/text/visible-text.ts'
import {
  type Age,
  type Choice,
  choices,
  countFilters,
  filterFrom,
  type InboxFilter,
  isAmountFilter,
  type Request,
  type SortOrder,
  searchOf,
  valuesOf,
} from './filter.ts'

/** The value of a select for "not filtered". */
const ALL = t.allValues

const LABELS: Record<Choice, string> = {
  risk: t.risk,
  action: t.action,
  agent: t.agent,
  requester: t.requestedBy,
  environment: t.environment,
  group: t.group,
}
const AGES: Record<Age, string> = { hour: t.anHour, day: t.aDay, week: t.aWeek }
const ORDERS: Record<SortOrder, string> = {
  expires: t.expiresFirst,
  newest: t.newestFirst,
  oldest: t.waitsLongest,
  amount: t.highestAmount,
  risk: t.highestRisk,
}

/** Changes some of the filters, or the layout, in the address. */
export function useFilterChange(): (change: Partial<InboxFilter>) => void {
  const { tenant } = useSession()
  return (change) => {
    const search = addressSearch()
    const view = viewFromSearch(search.get('view'))
    replaceAddress(approvalsPath(tenant, { view, ...searchOf({ ...filterFrom(search), ...change }) }))
  }
}

/** Search, filters and order of the inbox, kept in the address. The choices are the values that the list contains. */
export function InboxFilters({ filter, requests }: { filter: InboxFilter; requests: readonly Request[] }) {
  const { sort, hide, density, min, max, age } = filter
  const show = useFilterChange()
  return (
    <FilterFold
      label={t.filterRequests}
      set={countFilters(filter)}
      onClear={() => show({ ...filterFrom(new URLSearchParams()), sort, hide, density })}
      more={{ set: [min, max, age].filter((value) => value !== '').length, fields: <MoreFilters filter={filter} /> }}
    >
      <TypedField
        label={t.search}
        placeholder={t.titleFactOrId}
        type="search"
        value={filter.q}
        onChange={(q) => show({ q })}
      />
      {choices.map((choice) => {
        const values = valuesOf(choice, requests)
        // A choice without an alternative would not filter anything.
        if (values.length < 2 && filter[choice] === '') return null
        return (
          <SelectField
            key={choice}
            label={LABELS[choice]}
            value={filter[choice] === '' ? ALL : filter[choice]}
            onChange={(value) => show({ [choice]: value === ALL ? '' : value })}
            placeholder=""
            options={[
              { value: ALL, label: t.all },
              ...[...new Set([...values, filter[choice]])]
                .filter((value) => value !== '')
                .map((value) => ({ value, label: labelOf(choice, value) })),
            ]}
          />
        )
      })}
      <SelectField
        label={t.order}
        value={filter.sort}
        onChange={(sort) => show({ sort: sort as SortOrder })}
        placeholder=""
        options={Object.entries(ORDERS).map(([value, label]) => ({ value, label }))}
      />
    </FilterFold>
  )
}

/** By amount and by age. */
function MoreFilters({ filter }: { filter: InboxFilter }) {
  const show = useFilterChange()
  return (
    <>
      {(['min', 'max'] as const).map((name) => (
        <TypedField
          key={name}
          label={name === 'min' ? t.amountFrom : t.amountTo}
          inputMode="decimal"
          value={filter[name]}
          onChange={(value) => show({ [name]: value })}
          whyNot={whyNotAmount}
        />
      ))}
      <SelectField
        label={t.waitsLongerThan}
        value={filter.age === '' ? ALL : filter.age}
        onChange={(age) => show({ age: age === ALL ? '' : (age as Age) })}
        placeholder=""
        options={[
          { value: ALL, label: t.anyTime },
          ...Object.entries(AGES).map(([value, label]) => ({ value, label })),
        ]}
      />
    </>
  )
}

function labelOf(choice: Choice, value: string): string {
  const tier = choice === 'risk' ? riskTiers.find((one) => one === value) : undefined
  return tier === undefined ? visibleText(value) : riskWord(tier)
}

const whyNotAmount = (text: string) => (isAmountFilter(text) ? undefined : t.digitsAndPoint)
