'use client'

import { useApi } from '#components/api/api.tsx'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import * as t from '#components/texts/agent-changes/en.ts'

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

/** Withdraws a proposed change or revokes an active one. Shows nothing for a change that has ended. */
export function EndChange({ kind, change: { id, status, revision }, about }: EndChangeProps) {
  const { client } = useApi()
  const router = client[LISTS[kind]]
  const input = (reason: string) => ({ id, expectedRevision: revision, reason })
  return (
    <>
      <ReasonDialog
        label={t.withdrawThe({ kind })}
        busyLabel={t.withdrawingThe({ kind })}
        keepLabel={t.leaveItProposed}
        title={t.withdrawOf({ kind, about })}
        consequence={t.itsApprovalRequestIs}
        permission={`${kind}:propose`}
        over={status !== 'proposed'}
        act={(reason, options) => router.withdraw.mutate(input(reason), options)}
        touches={TOUCHES}
        done={t.isWithdrawn({ kind })}
        notDone={t.wasNotWithdrawn({ kind })}
      />
      <ReasonDialog
        label={t.revokeThe({ kind })}
        busyLabel={t.revokingThe({ kind })}
        keepLabel={t.leaveItActive}
        title={t.revokeOf({ kind, about })}
        consequence={t.refusedAtNextCall({ kind })}
        permission={`${kind}:revoke`}
        over={status !== 'active'}
        act={(reason, options) => router.revoke.mutate(input(reason), options)}
        touches={TOUCHES}
        done={t.isRevoked({ kind })}
        notDone={t.wasNotRevoked({ kind })}
      />
    </>
  )
}
