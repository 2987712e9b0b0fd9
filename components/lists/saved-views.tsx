'use client'

import Link from 'next/link'
import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useQuery } from '#components/api/query.ts'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/saved-views/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { limits } from '#lib/limits.ts'
import type { SavedView } from '#lib/schemas/lists/saved-views.ts'
import { useTRPC } from '#lib/trpc.ts'

type Search = Record<string, string>

type SavedViewsProps = {
  list: 'approvals' | 'executions'
  /** The filters that are set, as they are written into the address. */
  search: Search
  /** Reads filters as the page does: a saved view may have some that no longer exist. */
  known: (search: Search) => Search
  /** Whether there is anything to save. */
  isSet: boolean
  hrefOf: (search: Search) => string
}

/** Filters under a name: the reader's own, and those that others share. The chosen one is the one whose filters are set. */
export function SavedViews({ list, search, known, isSet, hrefOf }: SavedViewsProps) {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.savedViews.list.queryOptions({ list }))
  const [open, setOpen] = useState<'save' | 'remove'>()
  const items = data?.items ?? []
  const chosen = items.find((item) => textOf(known(item.search)) === textOf(search))
  if (items.length === 0 && !isSet) return null
  return (
    <div className="flex flex-wrap items-center gap-2">
      {items.length > 0 && (
        <nav aria-label={t.savedViews}>
          <ul className="flex flex-wrap gap-2">
            {items.map((item) => (
              <li key={item.id}>
                <Link
                  href={hrefOf(item.search)}
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
                      {item.removable ? t.shared : t.sharedBy({ name: item.owner.displayName, shown: shownText })}
                    </span>
                  )}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {isSet && chosen === undefined && <Button onClick={() => setOpen('save')}>{t.saveView}</Button>}
      {chosen?.removable === true && (
        <Button variant="quiet" onClick={() => setOpen('remove')}>
          {t.removeView}
        </Button>
      )}
      {open === 'save' && <SaveView list={list} search={search} onClose={() => setOpen(undefined)} />}
      {open === 'remove' && chosen !== undefined && (
        <RemoveView saved={chosen} list={list} onClose={() => setOpen(undefined)} />
      )}
    </div>
  )
}

/** Filters are compared as they are written into an address. */
const textOf = (search: Search): string => new URLSearchParams(Object.entries(search).sort()).toString()

type SaveViewProps = Pick<SavedViewsProps, 'list' | 'search'> & { onClose: () => void }

function SaveView({ list, search, onClose }: SaveViewProps) {
  const { client } = useApi()
  const [name, setName] = useState('')
  const [shared, setShared] = useState(false)
  const act = useAct({ send: client.savedViews.save.mutate, touches: ['savedViews'], onDone: onClose })
  return (
    <ActDialog
      title={t.saveTitle}
      description={t.saveAbout({ list })}
      label={t.save}
      busyLabel={t.saving}
      missing={name.trim() === '' ? t.giveName : undefined}
      act={act}
      onRun={() => act.run({ list, name, search, shared })}
      onClose={onClose}
    >
      <TextField
        label={t.name}
        value={name}
        maxLength={limits.savedViewName}
        onChange={({ target }) => setName(target.value)}
      />
      <Checkbox label={t.share({ list })} checked={shared} onChange={setShared} />
    </ActDialog>
  )
}

function RemoveView({
  saved,
  list,
  onClose,
}: {
  saved: SavedView
  list: SavedViewsProps['list']
  onClose: () => void
}) {
  const { client } = useApi()
  const act = useAct({ send: client.savedViews.remove.mutate, touches: ['savedViews'], onDone: onClose })
  return (
    <ActDialog
      title={t.removeTitle}
      description={t.removeAbout({ shared: String(saved.shared), list })}
      label={t.remove}
      busyLabel={t.removing}
      act={act}
      onRun={() => act.run({ id: saved.id })}
      onClose={onClose}
    />
  )
}
