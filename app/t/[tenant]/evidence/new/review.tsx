'use client'

import { useApi } from '#components/api/api.tsx'
import { useQuery } from '#components/api/query.ts'
import { formatPeriod } from '#components/evidence/period.ts'
import { roughDuration } from '#components/evidence/rough-duration.ts'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { formatBytes, formatCount } from '#lib/format.ts'
import type { ExportEstimate, ExportScope } from '#lib/schemas/evidence.ts'
import { scopeWords } from '#lib/evidence/scope-words.ts'
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
        <KeyValue name="Range">
          {formatPeriod(range)}
          {touchesToday(range, now) && '; today’s records up to the time of the export'}
        </KeyValue>
        <KeyValue name="About">{scopeWords(scope ?? null)}</KeyValue>
        {purpose !== '' && (
          <KeyValue name="For">
            <ShownText>{purpose}</ShownText>
          </KeyValue>
        )}
        <KeyValue name="Contents">
          {proofs ? 'with proofs' : 'without proofs'}, sensitive values {raw ? 'unmasked' : 'masked'}
        </KeyValue>
        <KeyValue name="Contains now">
          {estimate === undefined ? (
            <span className="text-ink-2">{error === null ? 'Counting…' : 'Can’t be counted at the moment.'}</span>
          ) : (
            countWords(estimate)
          )}
        </KeyValue>
        <KeyValue name="Size">
          {estimate === undefined
            ? '–'
            : `about ${formatBytes(estimate.bytes)}, ready in ${roughDuration(estimate.seconds)}`}
        </KeyValue>
        <KeyValue name="Who can download it">
          {raw ? 'Members who may read evidence and raw payloads' : 'Members who may read evidence'}
        </KeyValue>
      </KeyValues>
      <p className="text-ink-2">The archive will be signed and verified. The export is recorded in the audit log.</p>
    </>
  )
}

const countWords = ({ executions, approvals, decisions, spans, records, exact }: ExportEstimate): string =>
  (exact ? '' : 'about ') +
  [
    formatCount(executions, 'execution'),
    formatCount(approvals, 'approval'),
    formatCount(decisions, 'decision'),
    formatCount(spans, 'span'),
    `${formatCount(records, 'record')} of the log`,
  ].join(', ')
