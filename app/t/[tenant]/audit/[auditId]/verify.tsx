'use client'

import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { whoCan } from '#components/navigation/action-link.tsx'
import { adviceFor } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
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
        The server hashes the stored record again, follows the path above and compares the result with the root that the
        tenant’s log key signed.
        {proof.seal === 'pending' &&
          ' The record is newer than the last signed checkpoint. The next one follows within seconds.'}
      </p>
      <Button
        onClick={() => run(proof)}
        disabledReason={
          can('trace:verify') ? undefined : `${whoCan('trace:verify')} An evidence export can be verified without it.`
        }
        busyLabel={pending ? 'Verifying…' : undefined}
      >
        {output === undefined ? 'Verify' : 'Verify again'}
      </Button>
      <div role="status" className="w-full">
        {output && <Outcome answer={output} />}
      </div>
      {failure && (
        <ErrorPanel
          title="The check did not run."
          effect={`${failure.message} This does not mean that the record is wrong.`}
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
      {status === 'mismatch' && (
        <p className="max-w-[75ch]">
          The record, its place, or the log of that day has changed after it was logged. This check can’t tell which one
          changed first. If you have an earlier evidence export, keep it, and notify the operator of this installation.
        </p>
      )}
    </div>
  )
}

function OutcomeWord({ status }: { status: VerifyOutput['status'] }) {
  switch (status) {
    case 'verified':
      return <Seal state="verified" label="Verified: the record is the one that was logged." />
    case 'pending_seal':
      return <Seal state="unsealed" label="Not sealed yet: so far, the record matches its hashes." />
    case 'mismatch':
      return <Seal state="mismatch" label="Mismatch: this is not what was logged." />
    case 'not_found':
      return <Seal state="mismatch" label="The log does not contain this record." />
    case 'erased':
      return <Seal state="sealed" label="Erased: its values were removed, and its place in the log is proven." />
  }
}
