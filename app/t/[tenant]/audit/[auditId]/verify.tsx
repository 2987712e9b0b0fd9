'use client'

import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { whoCan } from '#components/navigation/action-link.tsx'
import { failureText } from '#components/session/failure-text.ts'
import { adviceFor } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/audit/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { Seal } from '#components/ui/status/seal.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import type { AuditProof } from '#lib/schemas/audit.ts'
import type { VerifyOutput } from '#lib/schemas/traces.ts'

/** Has the server check the proof on this page against its signed log. */
export function useVerify() {
  const { client } = useApi()
  return useAct({
    send: async (asked: AuditProof) => await client.traces.verify.query(inputOf(asked)),
    touches: [],
  })
}

/** Returns the proof as input. The server reads the missing parts from its own store. */
function inputOf({ tenant, auditId, date, nonce, leafIndex, ...sealed }: AuditProof) {
  const { merkleRoot, treeSize, inclusionProof, checkpoint } = sealed
  return {
    tenant,
    auditId,
    date,
    nonce,
    leafIndex,
    ...(merkleRoot === null ? {} : { merkleRoot }),
    ...(treeSize === null ? {} : { treeSize }),
    ...(inclusionProof === null ? {} : { inclusionProof }),
    ...(checkpoint === null ? {} : { checkpoint }),
  }
}

type VerifyProps = { verify: ReturnType<typeof useVerify>; proof: AuditProof }

/** The button, and the result of each check. */
export function Verify({ verify, proof }: VerifyProps) {
  const { can } = useSession()
  const { output, failure, pending, run } = verify
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="max-w-[75ch] text-ink-2">
        {t.serverHashesStoredRecord({ pending: String(proof.seal === 'pending') })}
      </p>
      <Button
        onClick={() => run(proof)}
        disabledReason={can('trace:verify') ? undefined : t.evidenceExportCanBe({ whoCan: whoCan('trace:verify') })}
        busyLabel={pending ? t.verifying : undefined}
      >
        {output === undefined ? t.verify : t.verifyAgain}
      </Button>
      <div role="status" className="w-full">
        {output && <Outcome answer={output} />}
      </div>
      {failure && (
        <ErrorPanel
          title={t.checkDidNotRun}
          effect={t.thisDoesNotMean({ message: failureText(failure) })}
          advice={adviceFor(failure)}
          requestId={failure.requestId}
        />
      )}
    </div>
  )
}

function Outcome({ answer: { status, checks } }: { answer: VerifyOutput }) {
  return (
    <div className="flex flex-col gap-2">
      <p className="font-semibold">
        <OutcomeWord status={status} />
      </p>
      <ul className="border-line border-b">
        {checks.map(({ name, ok, detail }) => (
          <li
            key={name}
            className="grid grid-cols-[8rem_minmax(0,1fr)] gap-x-3 border-line border-t py-1.5 max-narrow:grid-cols-1"
          >
            <StatusShape status={ok ? 'approved' : 'failed'} label={name} />
            <span>{detail}</span>
          </li>
        ))}
      </ul>
      {status === 'mismatch' && <p className="max-w-[75ch]">{t.recordItsPlaceOr}</p>}
    </div>
  )
}

function OutcomeWord({ status }: { status: VerifyOutput['status'] }) {
  switch (status) {
    case 'verified':
      return <Seal state="verified" label={t.verifiedRecordIsOne} />
    case 'pending_seal':
      return <Seal state="unsealed" label={t.notSealedYetSo} />
    case 'mismatch':
      return <Seal state="mismatch" label={t.mismatchThisIsNot} />
    case 'not_found':
      return <Seal state="mismatch" label={t.logDoesNotContain} />
    case 'erased':
      return <Seal state="sealed" label={t.erasedItsValuesWere} />
  }
}
