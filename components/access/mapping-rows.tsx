'use client'

import { type ReactNode, useId, useState } from 'react'
import { SelectField } from '#components/forms/select-field.tsx'
import * as t from '#components/texts/access-keys/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import type { GroupMapping } from '#lib/schemas/members.ts'

type MappingRowsProps<Entry extends GroupMapping> = {
  legend: string
  hint: string
  /** What a name names: "Group at the provider". */
  label: string
  add: string
  entries: readonly Entry[]
  onChange: (entries: Entry[]) => void
  /** The identity providers that can be named. */
  issuers: readonly string[]
  /** A new entry, whose name the person enters. */
  empty: (issuer: string) => Entry
  /** What the name gives, if that is a choice. */
  gives?: (entry: Entry, onChange: (entry: Entry) => void) => ReactNode
  locked: boolean
}

/** Names at identity providers, one in each row. */
export function MappingRows<Entry extends GroupMapping>(props: MappingRowsProps<Entry>) {
  const { legend, hint, label, add, entries, onChange, issuers, empty, gives, locked } = props
  const id = useId()
  // A row keeps its key while others are removed, and so its focus.
  const [keys, setKeys] = useState(() => entries.map(() => crypto.randomUUID()))
  const replace = (place: number, entry: Entry) =>
    onChange(entries.map((known, index) => (index === place ? entry : known)))
  return (
    <fieldset aria-labelledby={id} aria-describedby={`${id}-hint`} className="flex flex-col gap-3">
      <legend id={id} className="mb-1 font-semibold text-dense">
        {legend}
      </legend>
      <p id={`${id}-hint`} className="text-dense text-ink-2">
        {hint}
      </p>
      {entries.map((entry, place) => (
        <div
          key={keys[place]}
          className="grid items-end gap-x-3 gap-y-2 border-line-strong border-l-3 pl-3 narrow:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto]"
        >
          <div className="narrow:col-span-3">
            {issuers.length > 1 || !issuers.includes(entry.issuer) ? (
              <SelectField
                label={t.identityProvider}
                value={entry.issuer}
                onChange={(issuer) => {
                  if (!locked) replace(place, { ...entry, issuer })
                }}
                options={[...new Set([...issuers, entry.issuer])].map((issuer) => ({ value: issuer, label: issuer }))}
                placeholder={t.chooseProvider}
              />
            ) : (
              <p className="break-all text-dense text-ink-2">
                <ShownText>{entry.issuer}</ShownText>
              </p>
            )}
          </div>
          <div className={gives === undefined ? 'narrow:col-span-2' : undefined}>
            <TextField
              label={label}
              value={entry.name}
              onChange={(event) => replace(place, { ...entry, name: event.target.value })}
              autoComplete="off"
              spellCheck={false}
              readOnly={locked}
            />
          </div>
          {gives?.(entry, (changed) => replace(place, changed))}
          <Button
            onClick={() => {
              if (locked) return
              setKeys(keys.filter((_, index) => index !== place))
              onChange(entries.filter((_, index) => index !== place))
            }}
          >
            {t.remove({ entry: entry.name, hidden: (content) => <VisuallyHidden>{content}</VisuallyHidden> })}
          </Button>
        </div>
      ))}
      <div>
        <Button
          onClick={() => {
            if (locked) return
            setKeys([...keys, crypto.randomUUID()])
            onChange([...entries, empty(issuers[0] ?? '')])
          }}
        >
          {add}
        </Button>
      </div>
    </fieldset>
  )
}
