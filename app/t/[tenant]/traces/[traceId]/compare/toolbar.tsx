'use client'

import { useActions } from '#components/actions/registry.ts'
import { formatNumber } from '#components/language/formats.ts'
import * as t from '#components/texts/trace-compare/en.ts'
import { Pill } from '#components/traces/grid/pill.tsx'
import { SpanSearch } from '#components/traces/grid/span-search.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { Kbd } from '#components/ui/controls/kbd.tsx'
import { countDifferences } from './difference.ts'
import type { ComparisonState, Only } from './use-comparison.ts'

type ToolbarProps = { comparison: ComparisonState; errors: number; onOpen: () => void }

/** Search, the sorts of differences, and the ways to the next one. */
export function Toolbar({ comparison, errors, onOpen }: ToolbarProps) {
  const { found, only, toggleOnly, matching, text, setText, foldsSame, toggleFolds } = comparison
  const { added, missing, changed } = countDifferences(found)
  const different = added + missing + changed
  const noDifference = different === 0 ? t.nothingDiffers : undefined
  const noError = errors === 0 ? t.noSpanHasError : undefined
  const nextDifference = () => {
    if (comparison.nextDifference()) onOpen()
  }
  const nextError = () => {
    if (comparison.nextError()) onOpen()
  }
  useActions([
    { title: t.goToNextDifference, key: 'd', blocked: noDifference, run: nextDifference },
    { title: t.goToNextError, key: 'e', blocked: noError, run: nextError },
  ])
  const sorts: [Only, string][] = [
    ['different', t.differences({ differences: different })],
    ['added', t.added({ count: formatNumber(added) })],
    ['missing', t.missing({ count: formatNumber(missing) })],
    ['changed', t.changed({ count: formatNumber(changed) })],
    ['errors', t.countErrors({ errors })],
  ]
  return (
    <search aria-label={t.findSpans} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-end gap-x-3 gap-y-2">
        <SpanSearch text={text} onText={setText} />
        <Button onClick={nextDifference} disabledReason={noDifference}>
          {t.nextDifferenceD({ kbd: (content) => <Kbd>{String(content)}</Kbd> })}
        </Button>
        <Button onClick={nextError} disabledReason={noError}>
          {t.nextErrorE({ kbd: (content) => <Kbd>{String(content)}</Kbd> })}
        </Button>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {sorts.map(([sort, label]) => (
          <Pill key={sort} pressed={only === sort} onPress={() => toggleOnly(sort)}>
            {label}
          </Pill>
        ))}
        <Pill pressed={foldsSame} onPress={toggleFolds}>
          {t.foldWhatIsSame}
        </Pill>
        <span role="status" className="text-ink-2">
          {matching !== undefined && t.spansOfSpans({ spans: matching, all: found.length })}
        </span>
      </div>
    </search>
  )
}
