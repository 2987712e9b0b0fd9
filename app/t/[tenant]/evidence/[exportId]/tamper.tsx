'use client'

import { useState } from 'react'
import { useQuery } from '#components/api/query.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { RadioCards } from '#components/ui/controls/radio-cards.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { ToWorker } from '#components/verify/messages.ts'
import { Outcome, RecordLadder } from '#components/verify/outcome.tsx'
import { type Checking, useCheck } from '#components/verify/use-check.ts'
import { type Change, type ChangeKind, changeKinds, changesIn } from '#lib/tamper/changes.ts'
import { type Effort, forged } from '#lib/tamper/forge.ts'
import type { Report, State } from '#lib/verify/report.ts'
import { verdictNames } from '#lib/verify/report.ts'
import { questions } from '#lib/verify/words.ts'

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
      <h3 className="text-base">Tamper with a copy</h3>
      <p className="max-w-[75ch] text-ink-2">
        Offered in the demo only. Change something in a copy of this archive and see which verdict notices it. The copy
        is in this browser and is deleted with this page; the archive stays as it is.
      </p>
      {error !== null ? (
        <ErrorPanel
          title="The archive can’t be changed."
          effect="Its files could not be read here."
          advice="Load the page again."
        />
      ) : changes === undefined ? (
        <Skeleton label="Reading the archive…" rows={4} />
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
        legend="What to change"
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
          legend="How far the forger goes"
          value={effort}
          onChange={setEffort}
          locked={running}
          options={[
            { value: 'change', label: 'Change it', consequence: 'The lists of hashes stay as they were.' },
            {
              value: 'lists',
              label: 'Change it and recalculate the lists',
              consequence: 'Every list of hashes agrees with the changed file. The signatures stay.',
            },
            {
              value: 'signatures',
              label: 'Change it, recalculate the lists, and sign again',
              consequence: 'With a new key, because the forger does not have the one of the service.',
            },
          ]}
        />
      )}
      <div>
        <Button
          onClick={() => void tamper()}
          disabledReason={kind === undefined ? 'Choose what to change.' : undefined}
          busyLabel={running ? 'Verifying the copy…' : undefined}
        >
          Change the copy and verify it
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
        In <code className="font-mono text-dense">{change.path}</code>,{' '}
        {change.after === undefined ? (
          <>
            the record <ShownText>{change.before}</ShownText> was deleted.
          </>
        ) : (
          <>
            <del>
              <ShownText>{change.before}</ShownText>
            </del>{' '}
            became{' '}
            <ins className="font-semibold no-underline">
              <ShownText>{change.after}</ShownText>
            </ins>
            .
          </>
        )}
      </p>
      {report !== undefined && <p>{comparison(before, report)}</p>}
      <Outcome checking={checking} name="the changed copy" level={4} />
      {ladder !== undefined && <RecordLadder ladder={ladder} />}
    </div>
  )
}

const KINDS: Record<ChangeKind, { label: string; consequence: string; missing: string }> = {
  reason: {
    label: 'The reason of a decision',
    consequence: 'One letter of what a person wrote.',
    missing: 'This archive does not contain a reason.',
  },
  amount: {
    label: 'An amount',
    consequence: 'One digit of what was requested, or of a policy’s limit.',
    missing: 'This archive does not contain an amount.',
  },
  record: {
    label: 'Delete a record of the log',
    consequence: 'The newest decision disappears from the log of its day.',
    missing: 'This archive does not contain records of the log.',
  },
  signature: {
    label: 'The signature',
    consequence: 'One bit of the signature of the manifest.',
    missing: 'This archive does not contain a signature.',
  },
}

/** Which verdicts differ from those on the archive itself. */
function comparison(before: Report, after: Report): string {
  const changed = verdictNames.filter((name) => before.verdicts[name] !== after.verdicts[name])
  if (changed.length === 0) return 'No verdict differs from those on the archive itself.'
  const words = changed.map(
    (name) =>
      `${questions[name].title} ${WORDS[before.verdicts[name]]} for the archive and ${WORDS[after.verdicts[name]]} for the copy`,
  )
  return `${words.join('. ')}.`
}

const WORDS: Record<State, string> = { holds: 'is confirmed', fails: 'fails', 'not checked': 'is not checked' }
