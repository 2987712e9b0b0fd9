'use client'

import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/text-field.tsx'

export const FILTERS = ['action', 'actorId', 'resourceId', 'from', 'to'] as const
type Filter = Record<(typeof FILTERS)[number], string>

/** The filter that stands in the address. */
export const filterFrom = (search: { get(name: string): string | null }): Filter => ({
  action: search.get('action') ?? '',
  actorId: search.get('actorId') ?? '',
  resourceId: search.get('resourceId') ?? '',
  from: day(search.get('from')),
  to: day(search.get('to')),
})
const day = (text: string | null): string => (text !== null && /^\d{4}-\d\d-\d\d$/.test(text) ? text : '')

/** As audit.list takes it: days are whole ones, in UTC. */
export function inputOf({ from, to, ...words }: Filter): Partial<Filter> {
  const next = (date: string) => new Date(Date.parse(date) + 86_400_000).toISOString()
  return {
    ...Object.fromEntries(Object.entries(words).filter(([, word]) => word !== '')),
    ...(Number.isNaN(Date.parse(from)) ? {} : { from: `${from}T00:00:00Z` }),
    ...(Number.isNaN(Date.parse(to)) ? {} : { to: next(to) }),
  }
}

const FIELDS: { name: keyof Filter; label: string; type: 'text' | 'date' }[] = [
  { name: 'action', label: 'What', type: 'text' },
  { name: 'actorId', label: 'Who (id)', type: 'text' },
  { name: 'resourceId', label: 'About (id)', type: 'text' },
  { name: 'from', label: 'From (UTC)', type: 'date' },
  { name: 'to', label: 'To (UTC)', type: 'date' },
]

/** Narrows the list down; the filter is a part of the address. */
export function Filters() {
  const router = useRouter()
  const path = usePathname()
  const current = filterFrom(useSearchParams())
  const [draft, setDraft] = useState(current)
  const show = (filter: Filter) => {
    const search = new URLSearchParams(Object.entries(filter).filter(([, value]) => value.trim() !== ''))
    router.replace(search.size === 0 ? path : `${path}?${search}`)
  }
  const filtered = FILTERS.some((name) => current[name] !== '')
  return (
    <search>
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          show(draft)
        }}
      >
        {FIELDS.map(({ name, label, type }) => (
          <div key={name} className="min-w-40 max-narrow:w-full">
            <TextField
              label={label}
              type={type}
              value={draft[name]}
              onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
            />
          </div>
        ))}
        <Button type="submit">Filter</Button>
        {filtered && (
          <Button
            variant="quiet"
            onClick={() => {
              const none = { action: '', actorId: '', resourceId: '', from: '', to: '' }
              setDraft(none)
              show(none)
            }}
          >
            Show all
          </Button>
        )}
      </form>
    </search>
  )
}
