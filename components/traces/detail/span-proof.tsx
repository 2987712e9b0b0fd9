'use client'

import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { offerFile } from '#components/page/offer-file.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/trace-detail/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import type { SpanProof as SpanProofDocument } from '#lib/schemas/traces.ts'
import { type SpanCheck, verifySpanProof } from '#lib/verify-span-proof.ts'

/** Loads the proof of a span, checks it in this browser, and offers it as a file that others can check independently. */
export function SpanProof({ traceId, spanId }: { traceId: string; spanId: string }) {
  const { client } = useApi()
  const mayVerify = useSession().can('trace:verify')
  const { output, pending, failure, error, run } = useAct({
    send: async (span: { traceId: string; spanId: string }) => {
      const found = await client.traces.getSpanProof.query(span)
      return { found, checks: await verifySpanProof(found, found.verifierKey) }
    },
    touches: [],
  })
  const check = () => run({ traceId, spanId })
  return (
    <div className="flex flex-col items-start gap-2">
      <Button
        onClick={check}
        busyLabel={pending ? t.checking : undefined}
        disabledReason={mayVerify ? undefined : t.onlyApproverOrAuditor}
      >
        {t.checkProof}
      </Button>
      <div aria-live="polite" className="flex flex-col items-start gap-2">
        {output !== undefined && (
          <>
            <ul aria-label={t.whatWasChecked} className="flex flex-col gap-1">
              {checksToShow(output).map(({ name, ok, detail }) => (
                <li key={name} className="flex flex-wrap items-baseline gap-x-2">
                  <StatusShape status={ok ? 'approved' : 'failed'} label={name} />
                  <span className="wrap-anywhere">{detail}</span>
                </li>
              ))}
            </ul>
            {!isSealed(output) && <p>{t.itsAuditRecordIs}</p>}
            <Button onClick={() => save(output.found, `span-${spanId}.proof.json`)}>{t.saveProof}</Button>
          </>
        )}
      </div>
      {failure !== undefined && (
        <RequestFailed error={error} what={t.theProof} act={t.verifyTraces} permission="trace:verify" retry={check} />
      )}
    </div>
  )
}

type Checked = { found: SpanProofDocument; checks: SpanCheck[] }

const isSealed = ({ found }: Checked): boolean => found.record.checkpoint !== null

/** A record that no checkpoint covers yet can't be checked against one, which is not a failure. */
const checksToShow = (checked: Checked): SpanCheck[] =>
  checked.checks.filter(({ name }) => isSealed(checked) || (name !== 'Record' && name !== 'Signature'))

const save = (content: object, name: string) =>
  offerFile(new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' }), name)
