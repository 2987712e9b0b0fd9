'use client'

import { useActions } from '#components/actions/registry.ts'
import { Pill } from '#components/traces/grid/pill.tsx'
import { SpanSearch } from '#components/traces/grid/span-search.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { Kbd } from '#components/ui/controls/kbd.tsx'
import { formatCount } from '#lib/format.ts'
import { countDifferences } from './difference.ts'
import type { ComparisonState, Only } from './use-comparison.ts'

type ToolbarProps = { comparison: ComparisonState; errors: number; onOpen: () => void }

/** Search, the sorts of differences, and the ways to the next one. */
export function Toolbar({ comparison, errors, onOpen }: ToolbarProps) {
  const { found, only, toggleOnly, matching, text, setText, foldsSame, toggleFolds } = comparison
  const { added, missing, changed } = countDifferences(found)
  const different = added + missing + changed
  const noDifference = different === 0 ? 'Nothing differs.' : undefined
  const noError = errors === 0 ? 'No span has an error.' : undefined
  const nextDifference = () => {
    if (comparison.nextDifference()) onOpen()
  }
  const nextError = () => {
    if (comparison.nextError()) onOpen()
  }
  useActions([
    { title: 'Go to the next difference', key: 'd', blocked: noDifference, run: nextDifference },
    { title: 'Go to the next error', key: 'e', blocked: noError, run: nextError },
  ])
  const sorts: [Only, string][] = [
    ['different', `${formatCount(different, 'difference')}`],
    ['added', `${added.toLocaleString('en')} added`],
    ['missing', `${missing.toLocaleString('en')} missing`],
    ['changed', `${changed.toLocaleString('en')} changed`],
    ['errors', formatCount(errors, 'error')],
  ]
  return (
    <search aria-label="Find spans" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-end gap-x-3 gap-y-2">
        <SpanSearch text={text} onText={setText} />
        <Button onClick={nextDifference} disabledReason={noDifference}>
          Next difference <Kbd>D</Kbd>
        </Button>
        <Button onClick={nextError} disabledReason={noError}>
          Next error <Kbd>E</Kbd>
        </Button>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {sorts.map(([sort, label]) => (
          <Pill key={sort} pressed={only === sort} onPress={() => toggleOnly(sort)}>
            {label}
          </Pill>
        ))}
        <Pill pressed={foldsSame} onPress={toggleFolds}>
          Fold what is the same
        </Pill>
        <span role="status" className="text-ink-2">
          {matching !== undefined && `${formatCount(matching, 'span')} of ${formatCount(found.length, 'span')}`}
        </span>
      </div>
    </search>
  )
}
