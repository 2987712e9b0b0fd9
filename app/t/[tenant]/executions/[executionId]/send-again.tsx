'use client'

import { useApi } from '#components/api/api.tsx'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import type { InputResolution } from '#lib/schemas/inputs.ts'

/** Has a delivery repeated that failed, or whose outcome nobody knows. `closed`: its wait is over. */
export function SendAgain({ resolution, closed = false }: { resolution: InputResolution; closed?: boolean }) {
  const { id, input, delivery, application, revision } = resolution
  const { client } = useApi()
  const over = closed || application !== 'not_applied' || (delivery !== 'failed' && delivery !== 'unknown')
  return (
    <ReasonDialog
      label="Send again"
      busyLabel="Sending again"
      keepLabel="Leave it"
      title={`Send ${input} again?`}
      consequence={
        delivery === 'unknown'
          ? 'Nobody knows whether it arrived the first time: it may arrive twice.'
          : 'It failed for certain, so it does not arrive twice. It is sent once more.'
      }
      permission="input:manage"
      over={over}
      act={(reason, options) =>
        client.executions.inputResolutions.retry.mutate({ id, expectedRevision: revision, reason }, options)
      }
      touches={['executions', 'inputs']}
      done="It is on its way again."
      notDone="It was not sent again."
    />
  )
}
