import { Climbed } from '#components/ladder/climbed.tsx'
import { formatNumber } from '#components/language/formats.ts'
import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/verify/en.ts'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { Seal, type SealState } from '#components/ui/status/seal.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { ArchiveLadder } from '#lib/verify/ladder.ts'
import { type About, type Report, verdictNames } from '#lib/verify/report.ts'
import { aboutLines } from '#lib/verify/words.ts'
import type { Checking } from './use-check.ts'
import { Verdict } from './verdict.tsx'
import { aboutWords, conclusionText } from './words.ts'

type OutcomeProps = {
  checking: Checking
  /** The archive as the status line names it. */
  name: string
  /** The level of the verdicts' headings. */
  level: 2 | 3 | 4
}

/** The conclusion in one line, then the five questions with their answers as they arrive. */
export function Outcome({ checking: { share, checks, report, failed }, name, level }: OutcomeProps) {
  return (
    <>
      <p role="status" className="font-semibold">
        {report !== undefined ? (
          <Seal state={sealOf(report)} label={conclusionText(report)} />
        ) : (
          <span className="wrap-anywhere">
            {failed === undefined ? t.checking({ name, shown: shownText }) : t.stopped({ name, shown: shownText })}
            {/* Hidden from screen readers, which would read out every update. */}
            {failed === undefined && share > 0 && (
              <span aria-hidden="true">{t.read({ percent: String(Math.floor(share * 100)) })}</span>
            )}
          </span>
        )}
      </p>
      {failed !== undefined && (
        <ErrorPanel title={t.notRun} effect={t.notRunEffect({ problem: failed })} advice={t.notRunAdvice} />
      )}
      {checks.length > 0 && (
        <ul className="@container border-line border-b">
          {verdictNames.map((verdict) => (
            <Verdict
              key={verdict}
              name={verdict}
              state={report?.verdicts[verdict]}
              checks={checks.filter((check) => check.verdict === verdict)}
              level={level}
            />
          ))}
        </ul>
      )}
    </>
  )
}

/** What the archive says of itself. */
export function AboutArchive({ about }: { about: About }) {
  return (
    <KeyValues>
      {aboutLines(about, aboutWords).map(([label, text]) => (
        <KeyValue key={label} name={label}>
          <ShownText>{text}</ShownText>
        </KeyValue>
      ))}
    </KeyValues>
  )
}

/** One record of the archive and its way to the signed root, folded until it is asked for. */
export function RecordLadder({ ladder: { seq, size, date, action, ladder, root } }: { ladder: ArchiveLadder }) {
  return (
    <details className="flex flex-col gap-2">
      <summary className="min-h-6 w-fit cursor-pointer">
        {t.ladder({ action, seq: formatNumber(seq), size: formatNumber(size), date })}
      </summary>
      <div className="mt-2 flex flex-col gap-2">
        <Climbed ladder={ladder} root={root} from={t.ladderFrom} of="record" />
      </div>
    </details>
  )
}

function sealOf({ verdicts, everything }: Report): SealState {
  if (Object.values(verdicts).includes('fails')) return 'mismatch'
  return everything ? 'verified' : 'sealed'
}
