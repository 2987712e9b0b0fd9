'use client'

import { useEffect, useState } from 'react'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/evidence-export/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { KeyWords } from '#components/verify/key-words.tsx'
import { AboutArchive, Outcome, RecordLadder } from '#components/verify/outcome.tsx'
import { askedOf, nothingOutside, OutsideFields } from '#components/verify/outside-fields.tsx'
import { useCheck } from '#components/verify/use-check.ts'
import { logKeysPath } from '#lib/paths.ts'
import type { Report } from '#lib/verify/report.ts'
import { Tamper } from './tamper.tsx'

type VerifiedProps = { archive: Blob; name: string /** Called with each report. */; onReport: (report: Report) => void }

/** The verdicts on a downloaded archive, the key to compare, one record's path, and in the demo a copy to change. */
export function Verified({ archive, name, onReport }: VerifiedProps) {
  const { me, tenant } = useSession()
  const { checking, check } = useCheck()
  // What is typed, and what the archive was compared with last.
  const [outside, setOutside] = useState(nothingOutside)
  const [compared, setCompared] = useState(nothingOutside)
  // The worker stops with the component, so a second mount starts the check again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `check` is new in each render.
  useEffect(() => check({ file: archive, fingerprint: undefined, ...askedOf(compared) }), [archive, compared])
  const report = checking?.report
  useEffect(() => {
    if (report !== undefined) onReport(report)
  }, [report, onReport])
  if (checking === undefined) return null
  const { about, ladder } = checking
  return (
    <div className="flex flex-col gap-4">
      {about !== undefined && <AboutArchive about={about} />}
      <Outcome checking={checking} name={name} level={3} />
      <details>
        <summary className="min-h-6 w-fit cursor-pointer">{t.compareWithMore}</summary>
        <form
          className="mt-2 flex flex-col items-start gap-3"
          onSubmit={(event) => {
            event.preventDefault()
            setCompared(outside)
          }}
        >
          <div className="flex w-full flex-col gap-3">
            <OutsideFields value={outside} onChange={setOutside} />
          </div>
          {outside !== compared && <Button type="submit">{t.verifyAgain}</Button>}
        </form>
      </details>
      {ladder !== undefined && <RecordLadder ladder={ladder} />}
      {report?.fingerprint !== undefined && (
        <section className="flex flex-col gap-2">
          <h3 className="text-base">{t.compareKey}</h3>
          <KeyWords fingerprint={report.fingerprint}>
            {t.withSomeoneWhoDid({
              a: (content) => (
                <a href={logKeysPath(tenant)} className="text-link">
                  {content}
                </a>
              ),
            })}
          </KeyWords>
        </section>
      )}
      {me.demo && report !== undefined && <Tamper archive={archive} before={report} />}
    </div>
  )
}
