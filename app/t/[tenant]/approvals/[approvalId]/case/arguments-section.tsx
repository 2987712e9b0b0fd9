'use client'

import { useEffect, useRef, useState } from 'react'
import { maskedShape } from '#components/json/masked-shape.ts'
import { formatNumber } from '#components/language/formats.ts'
import * as t from '#components/texts/approval-case/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { CustodySection } from '#components/ui/status/custody-line.tsx'
import { ErasedTag } from '#components/ui/status/erased-tag.tsx'
import { MaskedChip } from '#components/ui/status/masked-chip.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { isJsonObject, type JsonValue } from '#lib/json.ts'
import { erasedText } from '#lib/rules/erased.ts'
import type { Approval, ArgumentView } from '#lib/schemas/approvals.ts'
import { countHidden } from '#lib/text/visible-text.ts'

/** In characters and lines. Longer values are shortened, and approving is blocked until the reader has expanded them. */
const [mostCharacters, mostLines] = [1000, 20]

const beginningOf = (text: string): string => text.split('\n', mostLines).join('\n').slice(0, mostCharacters)

type Shorten = (path: string, isShort: boolean) => void

/** The arguments that the decision binds, one row per value. Masked, erased and shortened values are marked as such. */
export function ArgumentsSection({ shown, onShorten }: { shown: Approval; onShorten: Shorten }) {
  const rows = shown.presentation.arguments
  const masked = rows.filter((row) => row.masked !== undefined).length
  const hidden = rows.filter(
    (row) => countHidden(row.path) + countHidden(textOf(row.value), { edges: true }) > 0,
  ).length
  const columns: Column<ArgumentView>[] = [
    {
      key: 'path',
      header: t.field,
      rowHeader: true,
      cell: ({ path }) => (
        <span className="wrap-break-word block min-w-28">
          <ShownText edges breaks>
            {path === '' ? t.wholeValue : path}
          </ShownText>
        </span>
      ),
    },
    { key: 'value', header: t.value, cell: (row) => <Value row={row} onShorten={onShorten} /> },
  ]
  const source = sourceOf(shown.presentation.subject)
  return (
    <CustodySection title={t.argumentsText} note={masked === 0 ? undefined : t.valuesMasked({ masked })}>
      {hidden > 0 && (
        <Banner tone="warn" urgency="none">
          {t.argumentsHide({ hidden })}
        </Banner>
      )}
      {rows.length === 0 ? (
        <p>{t.thisRequestHasEmpty}</p>
      ) : (
        <DataTable caption={t.argumentsText} columns={columns} rows={rows} rowKey={(row) => row.path} />
      )}
      {source !== undefined && (
        <pre className="wrap-anywhere whitespace-pre-wrap border border-line bg-sunken p-2 font-mono text-dense">
          <ShownText>{source}</ShownText>
        </pre>
      )}
    </CustodySection>
  )
}

function Value({ row: { path, value, masked }, onShorten }: { row: ArgumentView; onShorten: Shorten }) {
  const text = textOf(value)
  const [opened, setOpened] = useState(false)
  const whole = useRef<HTMLSpanElement>(null)
  const beginning = beginningOf(text)
  const isLong = beginning.length < text.length
  const isShort = isLong && !opened
  const show = () => {
    setOpened(true)
    // The button disappears. The value gets the focus, so that it is read next.
    whole.current?.focus({ preventScroll: true })
  }
  useEffect(() => {
    onShorten(path, isShort)
    return () => onShorten(path, false)
  }, [path, isShort, onShorten])
  if (masked !== undefined) return <MaskedChip shape={maskedShape(masked)} />
  if (value === erasedText) return <ErasedTag />
  if (text === '') return <span className="text-ink-2">{t.emptyText}</span>
  return (
    <span className="flex flex-col items-start gap-1">
      <span ref={whole} tabIndex={isLong ? -1 : undefined} className="wrap-anywhere font-mono text-dense">
        <ShownText edges={typeof value === 'string'}>{isShort ? beginning : text}</ShownText>
      </span>
      {isShort && (
        <>
          <span className="text-dense text-warn">
            {t.showingOfCharacters({ shown: formatNumber(beginning.length), length: formatNumber(text.length) })}
          </span>
          <Button onClick={show}>{t.showFullValue}</Button>
        </>
      )}
    </span>
  )
}

/**
 * Strings as they are, other values as JSON. A string that reads like a number is quoted, to distinguish `"4200.00"`
 * from `4200`.
 */
function textOf(value: JsonValue | undefined): string {
  if (value === undefined) return ''
  if (typeof value !== 'string') return JSON.stringify(value)
  return /^(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null)$/i.test(value) ? JSON.stringify(value) : value
}

/** The source text that the approval activates, such as a policy's; undefined for other requests. */
function sourceOf(subject: JsonValue | null): string | undefined {
  if (subject === null || !isJsonObject(subject)) return undefined
  return typeof subject.source === 'string' ? subject.source : undefined
}
