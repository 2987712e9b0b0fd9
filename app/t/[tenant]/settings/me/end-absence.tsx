'use client'

import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import type { Delegation } from '#lib/schemas/delegations.ts'

/** Ends an absence early. */
export function EndAbsence({ delegation, onClose }: { delegation: Delegation; onClose: () => void }) {
  const { client } = useApi()
  const notice = useNotice()
  const { delegator, delegate } = delegation
  const act = useAct({
    send: client.delegations.end.mutate,
    touches: ['delegations', 'approvals'],
    onDone: () => {
      notice(`${delegate.displayName} is no longer the delegate of ${delegator.displayName}.`)
      onClose()
    },
  })
  return (
    <ActDialog
      title="End the absence"
      description={`${delegate.displayName} can no longer decide in place of ${delegator.displayName}. Decisions made so far remain valid.`}
      label="End the absence now"
      busyLabel="Ending the absence…"
      act={act}
      onRun={() => act.run({ id: delegation.id, expectedRevision: delegation.revision })}
      onClose={onClose}
    />
  )
}
