'use client'

import type { ReactNode } from 'react'
import { useState } from 'react'
import { useQuery } from '#components/api/query.ts'
import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/evidence-export/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { RadioCards } from '#components/ui/controls/radio-cards.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import type { ToWorker } from '#components/verify/messages.ts'
import { Outcome, RecordLadder } from '#components/verify/outcome.tsx'
import { type Checking, useCheck } from '#components/verify/use-check.ts'
import { questions } from '#components/verify/words.ts'
import { type Change, type ChangeKind, changeKinds, changesIn } from '#lib/tamper/changes.ts'
import { type Effort, forged } from '#lib/tamper/forge.ts'
import type { Report } from '#lib/verify/report.ts'
import { verdictNames } from '#lib/verify/report.ts'

/** The bytes of a copy, and where it came from. */
type Copy = ToWorker & { change: Change; effort: Effort }

/** Changes a copy of the archive in this browser as a person chooses, and verifies it. The archive itself stays as it is. */
export function Tamper({ archive, before }: { archive: Blob; before: Report }) {
  const { data: changes, error } = useQuery({
    queryKey: ['changes', before.exportId],
    queryFn: () => changesIn(archive),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <section className="flex flex-col gap-3">
      <h3 className="text-base">{t.tamperWithCopy}</h3>
      <p className="max-w-[75ch] text-ink-2">{t.offeredInDemoOnly}</p>
      {error !== null ? (
        <ErrorPanel title={t.archiveCantBeChanged} effect={t.itsFilesCouldNot} advice={t.loadPageAgain} />
      ) : changes === undefined ? (
        <Skeleton label={t.readingArchive} rows={4} />
      ) : (
        <Choices archive={archive} before={before} changes={changes} />
      )}
    </section>
  )
}

function Choices({ archive, before, changes }: { archive: Blob; before: Report; changes: readonly Change[] }) {
  const { checking, check } = useCheck<Copy>()
  const [kind, setKind] = useState<ChangeKind>()
  const [effort, setEffort] = useState<Effort>('change')
  const [making, setMaking] = useState(false)
  const change = changes.find((one) => one.kind === kind)
  async function tamper() {
    if (change === undefined) return
    const chosen = kind === 'signature' ? 'change' : effort
    setMaking(true)
    const file = await forged(archive, new Map([[change.path, change.content]]), chosen).finally(() => setMaking(false))
    check({ file, fingerprint: undefined, change, effort: chosen })
  }
  const running = making || (checking !== undefined && checking.report === undefined && checking.failed === undefined)
  return (
    <>
      <RadioCards<ChangeKind>
        legend={t.whatToChange}
        value={kind}
        onChange={setKind}
        locked={running}
        options={changeKinds.map((one) => ({
          value: one,
          ...KINDS[one],
          disabledReason: changes.some((found) => found.kind === one) ? undefined : KINDS[one].missing,
        }))}
      />
      {kind !== undefined && kind !== 'signature' && (
        <RadioCards<Effort>
          legend={t.howFarForgerGoes}
          value={effort}
          onChange={setEffort}
          locked={running}
          options={[
            { value: 'change', label: t.changeIt, consequence: t.listsOfHashesStay },
            {
              value: 'lists',
              label: t.changeItAndRecalculate,
              consequence: t.everyListOfHashes,
            },
            {
              value: 'signatures',
              label: t.changeItRecalculateLists,
              consequence: t.withNewKeyBecause,
            },
          ]}
        />
      )}
      <div>
        <Button
          onClick={() => void tamper()}
          disabledReason={kind === undefined ? t.chooseWhatToChange : undefined}
          busyLabel={running ? t.verifyingCopy : undefined}
        >
          {t.changeCopyAndVerify}
        </Button>
      </div>
      {checking !== undefined && <Tampered checking={checking} before={before} />}
    </>
  )
}

function Tampered({ checking, before }: { checking: Checking<Copy>; before: Report }) {
  const { change, report, ladder } = checking
  return (
    <div className="flex flex-col gap-3 border-line-strong border-l-3 pl-4">
      <p className="wrap-anywhere">
        {change.after === undefined
          ? t.recordWasDeleted({ path: change.path, code: codeOf, before: change.before, shown: shownText })
          : t.became({
              path: change.path,
              code: codeOf,
              before: change.before,
              shown: shownText,
              del: (content) => <del>{content}</del>,
              after: change.after,
              ins: (content) => <ins className="font-semibold no-underline">{content}</ins>,
            })}
      </p>
      {report !== undefined && <p>{comparison(before, report)}</p>}
      <Outcome checking={checking} name={t.changedCopy} level={4} />
      {ladder !== undefined && <RecordLadder ladder={ladder} />}
    </div>
  )
}

const KINDS: Record<ChangeKind, { label: string; consequence: string; missing: string }> = {
  reason: {
    label: t.reasonOfDecision,
    consequence: t.oneLetterOfWhat,
    missing: t.thisArchiveDoesNot,
  },
  amount: {
    label: t.anAmount,
    consequence: t.oneDigitOfWhat,
    missing: t.thisArchive,
  },
  record: {
    label: t.deleteRecordOfLog,
    consequence: t.newestDecisionDisappearsFrom,
    missing: t.thisArchiveDoes,
  },
  signature: {
    label: t.theSignature,
    consequence: t.oneBitOfSignature,
    missing: t.thisArchiveDoesNotContain,
  },
}

/** Which verdicts differ from those on the archive itself. */
function comparison(before: Report, after: Report): string {
  const changed = verdictNames.filter((name) => before.verdicts[name] !== after.verdicts[name])
  if (changed.length === 0) return t.noVerdictDiffersFrom
  return changed
    .map((name) =>
      t.verdictDiffers({ title: questions[name].title, before: before.verdicts[name], after: after.verdicts[name] }),
    )
    .join(' ')
}

const codeOf = (content: ReactNode) => <code className="font-mono text-dense">{content}</code>
