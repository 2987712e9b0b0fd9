'use client'

import { type KeyboardEvent, useId, useRef } from 'react'
import { useActions } from '#components/actions/registry.ts'
import * as t from '#components/texts/traces/en.ts'
import { CONTROL } from '#components/ui/controls/field.tsx'
import { Kbd } from '#components/ui/controls/kbd.tsx'
import { classNames } from '#components/ui/text/class-names.ts'

type SpanSearchProps = { text: string; onText: (text: string) => void; onKeyDown?: (event: KeyboardEvent) => void }

/** The field that finds spans by their names. `/` moves the focus into it. */
export function SpanSearch({ text, onText, onKeyDown }: SpanSearchProps) {
  const search = useRef<HTMLInputElement>(null)
  const id = useId()
  useActions([{ title: t.searchInSpans, key: '/', run: () => search.current?.focus() }])
  return (
    <span className="flex min-w-48 flex-1 flex-col gap-1">
      <label htmlFor={id} className="text-dense text-ink-2">
        {t.nameContains({ kbd: (content) => <Kbd>{String(content)}</Kbd> })}
      </label>
      <input
        ref={search}
        id={id}
        type="search"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={onKeyDown}
        className={classNames(CONTROL, 'min-h-9')}
      />
    </span>
  )
}
