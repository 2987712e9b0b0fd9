'use client'

import { useApi } from '#components/api/api.tsx'
import { useQuery } from '#components/api/query.ts'
import { formatPeriod } from '#components/evidence/period.ts'
import { roughDuration } from '#components/evidence/rough-duration.ts'
import { scopeText } from '#components/evidence/scope-text.ts'
import { formatBytes } from '#components/language/formats.ts'
import * as t from '#components/texts/evidence/en.ts'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { ExportEstimate, ExportScope } from '#lib/schemas/evidence.ts'
import { type Range, touchesToday } from './range.ts'

type ReviewProps = {
  range: Range
  scope: ExportScope | undefined
  purpose: string
  proofs: boolean
  raw: boolean
  now: number
}

/** Everything that was chosen, with what it will contain and how large it will be. */
export function Review({ range, scope, purpose, proofs, raw, now }: ReviewProps) {
  const { rest } = useApi()
  const input = { ...range, includeRawPayloads: raw, ...(scope === undefined ? {} : { scope }) }
  const { data: estimate, error } = useQuery(rest.evidence.estimate.queryOptions(input))
  return (
    <>
      <KeyValues>
        <KeyValue name={t.range}>
          {formatPeriod(range)}
          {touchesToday(range, now) && t.todaysRecordsUpTo}
          {estimate?.covers != null && beginsLater(range, estimate.covers) && (
            <p className="text-warn">{t.logBeginsLater({ covered: formatPeriod(estimate.covers) })}</p>
          )}
        </KeyValue>
        <KeyValue name={t.about}>{scopeText(scope ?? null)}</KeyValue>
        {purpose !== '' && (
          <KeyValue name={t.purpose}>
            <ShownText>{purpose}</ShownText>
          </KeyValue>
        )}
        <KeyValue name={t.contents}>
          {t.proofsAndMasking({ proofs: String(Boolean(proofs)), raw: String(Boolean(raw)) })}
        </KeyValue>
        <KeyValue name={t.containsNow}>
          {/* As high as the counts will be: the button below must not move away from a pointer that presses it. */}
          <span className="block min-h-[2lh] max-sm:min-h-[3lh]">
            {estimate === undefined ? (
              <span className="text-ink-2">{error === null ? t.counting : t.cantBeCountedAt}</span>
            ) : (
              countWords(estimate)
            )}
          </span>
        </KeyValue>
        <KeyValue name={t.size}>
          {estimate === undefined
            ? '–'
            : t.aboutReadyIn({ bytes: formatBytes(estimate.bytes), seconds: roughDuration(estimate.seconds) })}
        </KeyValue>
        <KeyValue name={t.whoCanDownloadIt}>{raw ? t.membersWhoMayRead : t.membersWho}</KeyValue>
      </KeyValues>
      <p className="text-ink-2">{t.archiveWillBeSigned}</p>
    </>
  )
}

const beginsLater = (asked: Range, covered: { startDate: string }): boolean =>
  Date.parse(covered.startDate) > Date.parse(asked.startDate)

function countWords({ executions, approvals, decisions, spans, records, exact }: ExportEstimate): string {
  const counts = [
    t.executions({ executions }),
    t.approvals({ approvals }),
    t.decisions({ decisions }),
    t.spans({ spans }),
    t.recordsOf({ records }),
  ].join(', ')
  return exact ? counts : t.aboutCounts({ counts })
}
