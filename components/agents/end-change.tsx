'use client'

import { useApi } from '#components/api/api.tsx'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'

type Change = { id: string; status: string; revision: number }
type EndChangeProps = {
  kind: 'binding' | 'release'
  change: Change
  /** The subject of the change: "version 1 in production". */
  about: string
}

const LISTS = { binding: 'policyBindings', release: 'releases' } as const
/** A release shows what changed in the bindings since it was proposed. */
const TOUCHES = ['policyBindings', 'releases', 'agents', 'approvals'] as const
const STOPS = {
  binding: 'The version no longer applies there. Without another binding, the agent can’t run in that environment.',
  release: 'The agent can’t run in that environment until another of its releases is approved.',
}

/** Withdraws a proposed change or revokes an active one. Shows nothing for a change that has ended. */
export function EndChange({ kind, change: { id, status, revision }, about }: EndChangeProps) {
  const { client } = useApi()
  const router = client[LISTS[kind]]
  const input = (reason: string) => ({ id, expectedRevision: revision, reason })
  return (
    <>
      <ReasonDialog
        label={`Withdraw the ${kind}`}
        busyLabel={`Withdrawing the ${kind}…`}
        keepLabel="Leave it proposed"
        title={`Withdraw the ${kind} of ${about}?`}
        consequence="Its approval request is canceled. Everything that is active stays as it is."
        permission={`${kind}:propose`}
        over={status !== 'proposed'}
        act={(reason, options) => router.withdraw.mutate(input(reason), options)}
        touches={TOUCHES}
        done={`The ${kind} is withdrawn.`}
        notDone={`The ${kind} was not withdrawn.`}
      />
      <ReasonDialog
        label={`Revoke the ${kind}`}
        busyLabel={`Revoking the ${kind}…`}
        keepLabel="Leave it active"
        title={`Revoke the ${kind} of ${about}?`}
        consequence={`${STOPS[kind]} Running executions are refused at their next call.`}
        permission={`${kind}:revoke`}
        over={status !== 'active'}
        act={(reason, options) => router.revoke.mutate(input(reason), options)}
        touches={TOUCHES}
        done={`The ${kind} is revoked.`}
        notDone={`The ${kind} was not revoked.`}
      />
    </>
  )
}
