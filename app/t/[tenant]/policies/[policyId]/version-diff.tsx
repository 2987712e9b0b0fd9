'use client'

import { SelectField } from '#components/forms/select-field.tsx'
import { replaceAddress, useAddressSearch } from '#components/lists/address.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/policy/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { policyPath } from '#lib/paths.ts'
import type { PolicyVersion } from '#lib/schemas/policies.ts'
import { type DiffLine, foldSame, lineDiff } from './line-diff.ts'

type VersionDiffProps = { policyId: string; versions: PolicyVersion[]; shown: PolicyVersion }

/** Compares the shown version with another one, by default the one before it. The address names both. */
export function VersionDiff({ policyId, versions, shown }: VersionDiffProps) {
  const { tenant } = useSession()
  const wanted = Number(useAddressSearch().get('against') ?? Number.NaN)
  const others = versions.filter(({ version }) => version !== shown.version)
  const against =
    others.find(({ version }) => version === wanted) ??
    others.find(({ version }) => version < shown.version) ??
    others[0]
  if (against === undefined) return null
  return (
    <>
      <div className="w-full narrow:w-60">
        <SelectField
          label={t.compareWith}
          value={String(against.version)}
          onChange={(value) =>
            replaceAddress(policyPath(tenant, policyId, { version: shown.version, against: Number(value) }))
          }
          placeholder=""
          options={others.map(({ version, status }) => ({
            value: String(version),
            label: t.versionWithState({ version, status }),
          }))}
        />
      </div>
      {against.version < shown.version ? (
        <Lines before={against} after={shown} />
      ) : (
        <Lines before={shown} after={against} />
      )}
    </>
  )
}

function Lines({ before, after }: { before: PolicyVersion; after: PolicyVersion }) {
  const lines = lineDiff(before.source, after.source)
  if (lines === undefined) return <EmptyState title={t.versionsHaveAlmostNothing}>{t.readTheirSourcesOne}</EmptyState>
  const count = (change: DiffLine['change']) => lines.filter((line) => line.change === change).length
  if (count('same') === lines.length)
    return <EmptyState title={t.twoVersionsAreIdentical}>{t.theyDifferInTheir}</EmptyState>
  return (
    <>
      <p>
        {t.fromVersionToVersion({
          version: before.version,
          to: after.version,
          lines: count('added'),
          removed: count('removed'),
        })}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard (WCAG 2.1.1). */}
      <section aria-label={t.changedLines} tabIndex={0} className={SCROLLED}>
        <div className="w-max min-w-full py-1 font-mono text-dense">
          {foldSame(lines).map((part, index) =>
            'folded' in part ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one comparison never move.
              <p key={index} className="bg-sunken px-3 py-1 text-ink-2">
                {t.equalLines({ equalLines: part.folded })}
              </p>
            ) : (
              part.lines.map((line) => <Line key={`${line.change} ${line.before} ${line.after}`} line={line} />)
            ),
          )}
        </div>
      </section>
    </>
  )
}

const SCROLLED = 'max-h-140 overflow-auto border border-line bg-surface'
const SIGNS: Record<DiffLine['change'], string> = { same: ' ', added: '+', removed: '−' }
const WORDS: Record<DiffLine['change'], string> = { same: '', added: t.added, removed: t.removed }

function Line({ line: { change, text, before, after } }: { line: DiffLine }) {
  return (
    <div
      className={classNames(
        'grid grid-cols-[3rem_3rem_1.5rem_1fr]',
        change === 'added' && 'bg-ok-soft',
        change === 'removed' && 'bg-danger-soft',
      )}
    >
      <span aria-hidden="true" className="select-none pr-2 text-right text-ink-2">
        {before}
      </span>
      <span aria-hidden="true" className="select-none pr-2 text-right text-ink-2">
        {after}
      </span>
      <span aria-hidden="true" className="text-center">
        {SIGNS[change]}
      </span>
      <code className="whitespace-pre pr-3">
        <VisuallyHidden>{WORDS[change]}</VisuallyHidden>
        <ShownText>{text}</ShownText>
      </code>
    </div>
  )
}
