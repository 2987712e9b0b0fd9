'use client'

import { useRef } from 'react'
import { leafText } from '#components/json/leaf-text.ts'
import { ShownLeaf } from '#components/json/shown-leaf.tsx'
import { formatNumber } from '#components/language/formats.ts'
import * as t from '#components/texts/approval-case/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { CustodySection } from '#components/ui/status/custody-line.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { isJsonObject, type JsonValue } from '#lib/json.ts'
import type { Approval, ArgumentView } from '#lib/schemas/approvals.ts'
import { countHidden } from '#lib/text/visible-text.ts'
import type { DecisionControl } from '../decision/use-decision.ts'
import { beginningOf } from './long-values.ts'

type ArgumentsProps = { shown: Approval } & Pick<DecisionControl, 'expanded' | 'expand'>

/** The arguments that the decision binds, one row per value. Masked, erased and shortened values are marked as such. */
export function ArgumentsSection({ shown, expanded, expand }: ArgumentsProps) {
  const rows = shown.presentation.arguments
  const masked = rows.filter((row) => row.masked !== undefined).length
  const hidden = rows.filter(
    (row) => countHidden(row.path) + countHidden(leafText(row.value ?? ''), { edges: true }) > 0,
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
    {
      key: 'value',
      header: t.value,
      cell: (row) => (
        <Value
          row={row}
          erased={shown.erased.length > 0}
          expanded={expanded.has(row.path)}
          expand={() => expand(row.path)}
        />
      ),
    },
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

type ValueProps = { row: ArgumentView; erased: boolean; expanded: boolean; expand: () => void }

function Value({ row: { value, masked }, erased, expanded, expand }: ValueProps) {
  const text = leafText(value ?? '')
  const whole = useRef<HTMLSpanElement>(null)
  const beginning = beginningOf(text)
  const isLong = beginning.length < text.length
  const isShort = isLong && !expanded
  const show = () => {
    expand()
    // The button disappears. The value gets the focus, so that it is read next.
    whole.current?.focus({ preventScroll: true })
  }
  return (
    <span className="flex flex-col items-start gap-1">
      <span ref={whole} tabIndex={isLong ? -1 : undefined}>
        <ShownLeaf {...{ value, masked, erased }} beginning={isShort ? beginning : undefined} />
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

/** The source text that the approval activates, such as a policy's; undefined for other requests. */
function sourceOf(subject: JsonValue | null): string | undefined {
  if (subject === null || !isJsonObject(subject)) return undefined
  return typeof subject.source === 'string' ? subject.source : undefined
}
