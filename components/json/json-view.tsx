'use client'

import { type ReactNode, useState } from 'react'
import * as t from '#components/texts/json/en.ts'
import { MaskedChip } from '#components/ui/status/masked-chip.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { JsonValue } from '#lib/json.ts'
import { isMasked } from '#lib/rules/masked.ts'
import { leafText } from './leaf-text.ts'
import { maskedShape } from './masked-shape.ts'
import { ShownLeaf } from './shown-leaf.tsx'

/** How much of a long text, list or object is shown until the reader asks for the rest. */
const SHOWN_CHARACTERS = 400
const SHOWN_ENTRIES = 50

type JsonViewProps = {
  value: JsonValue
  /** Whether something was erased from what contains the value. Without that, "[erased]" is an ordinary text. */
  erased?: boolean
}

/** A JSON value as rows of names and values. Masked and erased values are shown as chips. */
export function JsonView({ value, erased = false }: JsonViewProps) {
  if (isMasked(value)) return <MaskedValue masked={value.$masked} />
  if (Array.isArray(value))
    return (
      <Entries
        empty={t.emptyList}
        erased={erased}
        entries={value.map((inner, index): [string, JsonValue] => [String(index + 1), inner])}
      />
    )
  if (typeof value === 'object' && value !== null)
    return <Entries empty={t.emptyObject} erased={erased} entries={Object.entries(value)} />
  return <Leaf value={value} erased={erased} />
}

/** A masked value, with its class and length. */
export function MaskedValue({ masked }: { masked: { class: string; length: number } }) {
  return <MaskedChip shape={maskedShape(masked)} />
}

function Entries({ entries, empty, erased }: { entries: [string, JsonValue][]; empty: string; erased: boolean }) {
  const [all, setAll] = useState(false)
  if (entries.length === 0) return <span className="text-ink-2">{empty}</span>
  const shown = all ? entries : entries.slice(0, SHOWN_ENTRIES)
  return (
    <div>
      <dl>
        {shown.map(([name, value]) => (
          <Entry key={name} name={name} value={value} erased={erased} />
        ))}
      </dl>
      {shown.length < entries.length && (
        <More onClick={() => setAll(true)}>{t.allEntries({ count: String(entries.length) })}</More>
      )}
    </div>
  )
}

function Entry({ name, value, erased }: { name: string; value: JsonValue; erased: boolean }) {
  const nested = typeof value === 'object' && value !== null && !isMasked(value) && Object.keys(value).length > 0
  return (
    <div className={nested ? 'py-0.5' : 'flex flex-wrap items-baseline gap-x-2 py-0.5'}>
      <dt className="wrap-anywhere text-dense text-ink-2">
        <ShownText edges>{name === '' ? t.emptyName : name}</ShownText>
      </dt>
      <dd className={nested ? 'border-line border-l pl-3' : 'min-w-0'}>
        <JsonView value={value} erased={erased} />
      </dd>
    </div>
  )
}

/** A value without members. Of a long one, the beginning is shown. */
export function Leaf({ value, erased }: { value: JsonValue; erased?: boolean }) {
  return (
    <Shortened text={leafText(value)}>
      {(shown) => <ShownLeaf value={value} erased={erased ?? false} beginning={shown} />}
    </Shortened>
  )
}

/** What people or models write. Of a long text, the beginning is shown. */
export function LongText({ text }: { text: string }) {
  if (text === '') return <span className="text-ink-2">{t.emptyText}</span>
  return (
    <Shortened text={text}>
      {(shown) => (
        <span className="wrap-anywhere">
          <ShownText>{shown}</ShownText>
        </span>
      )}
    </Shortened>
  )
}

function Shortened({ text, children }: { text: string; children: (shown: string) => ReactNode }) {
  const [all, setAll] = useState(false)
  const shown = all ? text : text.slice(0, SHOWN_CHARACTERS)
  return (
    <>
      {children(shown)}
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
