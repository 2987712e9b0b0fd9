import { Climbed } from '#components/ladder/climbed.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { Seal, type SealState } from '#components/ui/status/seal.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { ArchiveLadder } from '#lib/verify/ladder.ts'
import { type About, type Report, verdictNames } from '#lib/verify/report.ts'
import { aboutLines, conclusionOf } from '#lib/verify/words.ts'
import type { Checking } from './use-check.ts'
import { Verdict } from './verdict.tsx'

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
          <Seal state={sealOf(report)} label={conclusionOf(report)} />
        ) : (
          <span className="wrap-anywhere">
            {failed === undefined ? 'Checking' : 'Stopped at'} <ShownText>{name}</ShownText>
            {/* Hidden from screen readers, which would read out every update. */}
            {failed === undefined && share > 0 && <span aria-hidden="true">, {Math.floor(share * 100)} % read</span>}
          </span>
        )}
      </p>
      {failed !== undefined && (
        <ErrorPanel
          title="The check did not run."
          effect={`${failed} This doesn’t mean that the archive is invalid.`}
          advice="Load the page again, or use verify.html in the archive."
        />
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
      {aboutLines(about).map(([label, text]) => (
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
        One record’s way to the signed root: {action}, number {seq.toLocaleString('en')} of {size.toLocaleString('en')}{' '}
        on {date}
      </summary>
      <div className="mt-2 flex flex-col gap-2">
        <Climbed ladder={ladder} root={root} from="the record in this archive" of="record" />
      </div>
    </details>
  )
}

function sealOf({ verdicts, everything }: Report): SealState {
  if (Object.values(verdicts).includes('fails')) return 'mismatch'
  return everything ? 'verified' : 'sealed'
}
