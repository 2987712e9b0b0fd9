'use client'

import { useId } from 'react'
import { useActions } from '#components/actions/registry.ts'
import * as t from '#components/texts/traces/en.ts'
import type { TraceSpan } from '#components/traces/model/trace-span.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { CONTROL } from '#components/ui/controls/field.tsx'
import { Kbd } from '#components/ui/controls/kbd.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import { Pill } from './pill.tsx'
import { KindGlyph, kindWord, spanKinds } from './span-kind.tsx'
import { SpanSearch } from './span-search.tsx'
import type { Waterfall } from './use-waterfall.ts'

const LEVELS = [1, 2, 3, 4] as const

type TraceToolbarProps = { waterfall: Waterfall; spans: readonly TraceSpan[]; onNextError: () => void }

/** Filters spans by name, kind, error and time, and folds levels deeper than the chosen one. */
export function TraceToolbar({ waterfall, spans, onNextError }: TraceToolbarProps) {
  const { filter, found, nextMatch, foldTo } = waterfall
  const levelId = useId()
  const present = spanKinds.filter((kind) => spans.some((span) => span.kind === kind))
  const noError = spans.some((span) => span.status === 'error') ? undefined : t.noSpanHasError
  useActions([{ title: t.goToNextError, key: 'e', blocked: noError, run: onNextError }])
  return (
    <search aria-label={t.findSpans} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-end gap-x-3 gap-y-2">
        <SpanSearch
          text={filter.text}
          onText={filter.setText}
          onKeyDown={({ key }) => {
            if (key === 'Enter') nextMatch()
            if (key === 'Escape' && filter.text !== '') filter.setText('')
          }}
        />
        <span className="flex flex-col gap-1">
          <label htmlFor={levelId} className="text-dense text-ink-2">
            {t.levelsShown}
          </label>
          <select
            id={levelId}
            value={filter.level ?? ''}
            onChange={(event) => foldTo(event.target.value === '' ? undefined : Number(event.target.value))}
            className={classNames(CONTROL, 'min-h-9')}
          >
            <option value="">{t.all}</option>
            {LEVELS.map((level) => (
              <option key={level} value={level}>
                {level}
              </option>
            ))}
          </select>
        </span>
        <Button onClick={onNextError} disabledReason={noError}>
          {t.nextErrorE({ kbd: (content) => <Kbd>{String(content)}</Kbd> })}
        </Button>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {present.map((kind) => (
          <Pill key={kind} pressed={filter.kinds.has(kind)} onPress={() => filter.toggleKind(kind)}>
            <KindGlyph kind={kind} /> {kindWord(kind)}
          </Pill>
        ))}
        <Pill pressed={filter.only === 'errors'} onPress={() => filter.toggleOnly('errors')}>
          {t.errors}
        </Pill>
        <Pill pressed={filter.only === 'critical'} onPress={() => filter.toggleOnly('critical')}>
          {t.criticalPath}
        </Pill>
        <span role="status" className="text-ink-2">
          {found !== undefined && t.spansOfSpans({ spans: found, all: spans.length })}
        </span>
        {(filter.text !== '' || filter.kinds.size > 0 || filter.only !== undefined) && (
          <Button variant="quiet" onClick={filter.clear}>
            {t.showAllSpans}
          </Button>
        )}
      </div>
    </search>
  )
}
