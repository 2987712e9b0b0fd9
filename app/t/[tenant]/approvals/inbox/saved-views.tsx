'use client'

import Link from 'next/link'
import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useQuery } from '#components/api/query.ts'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { limits } from '#lib/limits.ts'
import { type ApprovalsView, approvalsPath } from '#lib/paths.ts'
import type { SavedView } from '#lib/schemas/lists/saved-views.ts'
import { useTRPC } from '#lib/trpc.ts'
import { countFilters, filterFrom, type InboxFilter, searchOf } from './filter.ts'

type SavedViewsProps = { view: Exclude<ApprovalsView, 'decided'>; filter: InboxFilter }

/** Filters under a name: the reader's own, and those that others share. The chosen one is the one whose filters are set. */
export function SavedViews({ view, filter }: SavedViewsProps) {
  const { tenant } = useSession()
  const trpc = useTRPC()
  const { data } = useQuery(trpc.savedViews.list.queryOptions({ list: 'approvals' }))
  const [open, setOpen] = useState<'save' | 'remove'>()
  const items = data?.items ?? []
  const chosen = items.find(({ search }) => isSame(search, filter))
  const isSet = countFilters(filter) > 0 || filter.hide !== '' || filter.density !== ''
  if (items.length === 0 && !isSet) return null
  return (
    <div className="flex flex-wrap items-center gap-2">
      {items.length > 0 && (
        <nav aria-label="Saved views">
          <ul className="flex flex-wrap gap-2">
            {items.map((item) => (
              <li key={item.id}>
                <Link
                  href={approvalsPath(tenant, { view, ...item.search })}
                  prefetch={false}
                  aria-current={item === chosen ? 'true' : undefined}
                  className={classNames(
                    'inline-flex min-h-8 items-center gap-1 border px-2 text-dense max-rail:min-h-11',
                    item === chosen ? 'border-ink bg-sunken font-semibold' : 'border-line text-ink-2',
                  )}
                >
                  <ShownText>{item.name}</ShownText>
                  {item.shared && (
                    <span className="text-ink-2">
                      · {item.removable ? 'shared' : <ShownText>{item.owner.displayName}</ShownText>}
                    </span>
                  )}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {isSet && chosen === undefined && <Button onClick={() => setOpen('save')}>Save this view…</Button>}
      {chosen?.removable === true && (
        <Button variant="quiet" onClick={() => setOpen('remove')}>
          Remove this view…
        </Button>
      )}
      {open === 'save' && <SaveView filter={filter} onClose={() => setOpen(undefined)} />}
      {open === 'remove' && chosen !== undefined && <RemoveView saved={chosen} onClose={() => setOpen(undefined)} />}
    </div>
  )
}

/** Compared as they are written into an address, because a saved view may have filters that no longer exist. */
const isSame = (search: SavedView['search'], filter: InboxFilter): boolean =>
  textOf(searchOf(filterFrom(new URLSearchParams(search)))) === textOf(searchOf(filter))
const textOf = (search: Record<string, string>): string => new URLSearchParams(Object.entries(search).sort()).toString()

function SaveView({ filter, onClose }: { filter: InboxFilter; onClose: () => void }) {
  const { client } = useApi()
  const [name, setName] = useState('')
  const [shared, setShared] = useState(false)
  const act = useAct({ send: client.savedViews.save.mutate, touches: ['savedViews'], onDone: onClose })
  return (
    <ActDialog
      title="Save this view"
      description="Keeps the filters, the order and the columns under a name. A view of yours with the same name is replaced."
      label="Save the view"
      busyLabel="Saving the view…"
      done="saved"
      missing={name.trim() === '' ? 'Give it a name.' : undefined}
      act={act}
      onRun={() => act.run({ list: 'approvals', name, search: searchOf(filter), shared })}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={name}
        maxLength={limits.savedViewName}
        onChange={({ target }) => setName(target.value)}
      />
      <Checkbox label="Share it with everyone who can see the approvals" checked={shared} onChange={setShared} />
    </ActDialog>
  )
}

function RemoveView({ saved, onClose }: { saved: SavedView; onClose: () => void }) {
  const { client } = useApi()
  const act = useAct({ send: client.savedViews.remove.mutate, touches: ['savedViews'], onDone: onClose })
  return (
    <ActDialog
      title="Remove this view"
      description={saved.shared ? 'Everyone who uses it loses it. No request changes.' : 'No request changes.'}
      label="Remove the view"
      busyLabel="Removing the view…"
      done="removed"
      act={act}
      onRun={() => act.run({ id: saved.id })}
      onClose={onClose}
    />
  )
}
