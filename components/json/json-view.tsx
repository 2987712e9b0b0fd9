'use client'

import { type ReactNode, useState } from 'react'
import * as t from '#components/texts/json/en.ts'
import { ErasedTag } from '#components/ui/status/erased-tag.tsx'
import { MaskedChip } from '#components/ui/status/masked-chip.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { JsonValue } from '#lib/json.ts'
import { erasedText } from '#lib/rules/erased.ts'
import { isMasked } from '#lib/rules/masked.ts'
import { maskedShape } from './masked-shape.ts'

/** How much of a long text, list or object is shown until the reader asks for the rest. */
const SHOWN_CHARACTERS = 400
const SHOWN_ENTRIES = 50

/** A JSON value as rows of names and values. Masked and erased values are shown as chips. */
export function JsonView({ value }: { value: JsonValue }) {
  if (isMasked(value)) return <MaskedValue masked={value.$masked} />
  if (value === erasedText) return <ErasedTag />
  if (Array.isArray(value))
    return (
      <Entries
        empty={t.emptyList}
        entries={value.map((inner, index): [string, JsonValue] => [String(index + 1), inner])}
      />
    )
  if (typeof value === 'object' && value !== null)
    return <Entries empty={t.emptyObject} entries={Object.entries(value)} />
  if (typeof value === 'string') return <LongText text={value} />
  return <code className="font-mono text-dense">{JSON.stringify(value)}</code>
}

/** A masked value, with its class and length. */
export function MaskedValue({ masked }: { masked: { class: string; length: number } }) {
  return <MaskedChip shape={maskedShape(masked)} />
}

function Entries({ entries, empty }: { entries: [string, JsonValue][]; empty: string }) {
  const [all, setAll] = useState(false)
  if (entries.length === 0) return <span className="text-ink-2">{empty}</span>
  const shown = all ? entries : entries.slice(0, SHOWN_ENTRIES)
  return (
    <div>
      <dl>
        {shown.map(([name, value]) => (
          <Entry key={name} name={name} value={value} />
        ))}
      </dl>
      {shown.length < entries.length && (
        <More onClick={() => setAll(true)}>{t.allEntries({ count: String(entries.length) })}</More>
      )}
    </div>
  )
}

function Entry({ name, value }: { name: string; value: JsonValue }) {
  const nested = typeof value === 'object' && value !== null && !isMasked(value) && Object.keys(value).length > 0
  return (
    <div className={nested ? 'py-0.5' : 'flex flex-wrap items-baseline gap-x-2 py-0.5'}>
      <dt className="wrap-anywhere text-dense text-ink-2">
        <ShownText edges>{name === '' ? t.emptyName : name}</ShownText>
      </dt>
      <dd className={nested ? 'border-line border-l pl-3' : 'min-w-0'}>
        <JsonView value={value} />
      </dd>
    </div>
  )
}

/** A long text, of which the beginning is shown. `prose`: what people or models write, not a value. */
export function LongText({ text, prose = false }: { text: string; prose?: boolean }) {
  const [all, setAll] = useState(false)
  if (text === '') return <span className="text-ink-2">{t.emptyText}</span>
  const shown = all ? text : text.slice(0, SHOWN_CHARACTERS)
  return (
    <>
      {prose ? (
        <span className="wrap-anywhere">
          <ShownText>{shown}</ShownText>
        </span>
      ) : (
        <code className="wrap-anywhere font-mono text-dense">
          <ShownText edges>{shown}</ShownText>
        </code>
      )}
      {shown.length < text.length && (
        <More onClick={() => setAll(true)}>{t.allCharacters({ count: String(text.length) })}</More>
      )}
    </>
  )
}

function More({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" onClick={onClick} className="text-link min-h-6 text-dense">
      {children}
    </button>
  )
}
