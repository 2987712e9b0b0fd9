'use client'

import { useId, useState } from 'react'
import { useQuery } from '#components/api/query.ts'
import { useNames } from '#components/audit/use-names.ts'
import { useSettled } from '#components/code/use-settled.ts'
import * as t from '#components/texts/audit/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { useTRPC } from '#lib/trpc.ts'

type ObjectFieldProps = {
  /** '' means everything. */
  resourceId: string
  onChange: (resourceId: string) => void
}

/** Anything that has an id, with or without a page. */
const isId = (text: string): boolean => /^[0-9a-f-]{32,36}$/i.test(text)

/** The object that records are about: found by its words, or by its id. */
export function ObjectField({ resourceId, onChange }: ObjectFieldProps) {
  const [text, setText] = useState('')
  /** The field or the list below it has the focus. */
  const [inside, setInside] = useState(false)
  const listId = useId()
  const trpc = useTRPC()
  const q = useSettled(text.trim())
  const { data } = useQuery(
    trpc.search.find.queryOptions(
      { q, kinds: ['approval', 'execution', 'agent', 'policy', 'trace', 'export'] },
      { enabled: q.length > 1, staleTime: 10_000 },
    ),
  )
  // Only of the text as it is now: Enter takes the first one.
  const items = q.length > 1 && q === text.trim() ? data?.items : undefined
  const found = inside && items !== undefined ? items : []
  const choose = (id: string) => {
    setText('')
    onChange(id)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the list closes when the focus leaves its controls.
    <div
      className="relative"
      onFocus={() => setInside(true)}
      onBlur={({ currentTarget, relatedTarget }) => setInside(currentTarget.contains(relatedTarget))}
    >
      <TextField
        label={t.about}
        type="search"
        placeholder={resourceId === '' ? t.wordsOrId : t.only({ id: resourceId.slice(0, 8) })}
        value={text}
        autoComplete="off"
        spellCheck={false}
        aria-controls={found.length > 0 ? listId : undefined}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setText('')
          if (event.key !== 'Enter') return
          event.preventDefault()
          if (isId(text.trim())) choose(text.trim())
          else if (found[0] !== undefined) choose(found[0].id)
        }}
      />
      <p role="status" className="sr-only">
        {inside && items !== undefined && t.objectsFound({ count: items.length })}
      </p>
      {found.length > 0 && (
        // A press anywhere on the list leaves the focus inside, also in browsers that give none to buttons.
        <ul
          id={listId}
          tabIndex={-1}
          aria-label={t.objectsWithTheseWords}
          className="absolute top-full left-0 z-10 max-h-80 w-80 max-w-[90vw] overflow-y-auto border border-line-strong bg-raised"
        >
          {found.map(({ kind, id, title, note }) => (
            <li key={`${kind} ${id}`} className="border-line border-b last:border-b-0">
              <button
                type="button"
                onClick={() => choose(id)}
                className="flex min-h-9 w-full flex-col items-start px-2.5 py-1.5 text-left -outline-offset-2 hover:bg-selected"
              >
                <span className="wrap-anywhere">
                  <ShownText>{title}</ShownText>
                </span>
                <span className="wrap-anywhere text-dense text-ink-2">
                  {t.kindOf({ kind, name: kind })}
                  {note !== null && note !== '' && (
                    <>
                      , <ShownText>{note}</ShownText>
                    </>
                  )}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Names the object that the list is limited to. */
export function ChosenObject({
  resourceId,
  type,
  onClear,
}: {
  resourceId: string
  type: string | undefined
  onClear: () => void
}) {
  const nameOf = useNames(type === undefined ? [] : [{ type, id: resourceId }])
  const name = type === undefined ? undefined : nameOf({ type, id: resourceId })
  return (
    <p className="flex flex-wrap items-center gap-3">
      <span className="wrap-anywhere">
        {t.onlyRecordsAboutStrong({
          strong: () => (
            <strong className="font-semibold">
              <ShownText>{name ?? resourceId}</ShownText>
            </strong>
          ),
        })}
      </span>
      <Button variant="quiet" onClick={onClear}>
        {t.showAllObjects}
      </Button>
    </p>
  )
}
