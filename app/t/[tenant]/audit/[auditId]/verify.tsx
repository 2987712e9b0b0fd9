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

/** Has the server check the proof that stands on this page against its signed log. */
export function useVerify() {
  const { client } = useApi()
  return useAct({
    send: async (asked: AuditProof) => await client.traces.verify.query(inputOf(asked)),
    touches: [],
  })
}

/** What is known of the proof, as it is: what is not given the server takes from its own store. */
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

/** The button, and each check that the server made. */
export function Verify({ verify, proof }: VerifyProps) {
  const { can } = useSession()
  const { output, failure, pending, run } = verify
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="max-w-[75ch] text-ink-2">
        The server hashes the stored record again, climbs the path above and compares what it reaches with the root that
        the tenant’s log key signed.
        {proof.seal === 'pending' &&
          ' The record is newer than the last signed checkpoint; the next one follows within seconds.'}
      </p>
      <Button
        onClick={() => run(proof)}
        disabledReason={
          can('trace:verify') ? undefined : `${whoCan('trace:verify')} An evidence export can be verified without it.`
        }
        busyLabel={pending ? 'Verifying' : undefined}
      >
        {output === undefined ? 'Verify' : 'Verify again'}
      </Button>
      <div role="status" className="w-full">
        {output && <Outcome answer={output} />}
      </div>
      {failure && (
        <ErrorPanel
          title="The check did not run."
          effect={`${failure.message} It says nothing about the record.`}
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
          Something that the log promised not to change has changed: the record, its place, or the log of that day.
          Which one it was first, this check can’t say. Keep an evidence export from before, if there is one, and tell
          whoever runs this installation.
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
      return <Seal state="unsealed" label="Not sealed yet: so far the record agrees with its hashes." />
    case 'mismatch':
      return <Seal state="mismatch" label="Mismatch: this is not what was logged." />
    case 'not_found':
      return <Seal state="mismatch" label="The log has no such record." />
    case 'erased':
      return <Seal state="sealed" label="Erased: its values are gone, its place in the log is proven." />
  }
}
