'use client'

import { useApi } from '#components/api/api.tsx'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import type { InputResolution } from '#lib/schemas/inputs.ts'

/** Repeats a delivery that failed or whose outcome is unknown. `closed`: its wait has ended. */
export function SendAgain({ resolution, closed = false }: { resolution: InputResolution; closed?: boolean }) {
  const { id, input, delivery, application, revision } = resolution
  const { client } = useApi()
  const over = closed || application !== 'not_applied' || (delivery !== 'failed' && delivery !== 'unknown')
  return (
    <ReasonDialog
      label="Send again"
      busyLabel="Sending again…"
      keepLabel="Don’t send"
      title={`Send ${input} again?`}
      consequence={
        delivery === 'unknown'
          ? 'It is unknown whether the first delivery arrived, so it may arrive twice.'
          : 'The first delivery failed, so it will not arrive twice.'
      }
      permission="input:manage"
      over={over}
      act={(reason, options) =>
        client.executions.inputResolutions.retry.mutate({ id, expectedRevision: revision, reason }, options)
      }
      touches={['executions', 'inputs']}
      done="Sending again…"
      notDone="It was not sent again."
    />
  )
}
