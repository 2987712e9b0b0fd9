'use client'

import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import * as t from '#components/texts/settings-me/en.ts'
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
      notice(t.isNoLongerDelegate({ delegate: delegate.displayName, delegator: delegator.displayName }))
      onClose()
    },
  })
  return (
    <ActDialog
      title={t.endAbsence}
      description={t.canNoLongerDecide({ delegate: delegate.displayName, delegator: delegator.displayName })}
      label={t.endAbsenceNow}
      busyLabel={t.endingAbsence}
      act={act}
      onRun={() => act.run({ id: delegation.id, expectedRevision: delegation.revision })}
      onClose={onClose}
    />
  )
}
