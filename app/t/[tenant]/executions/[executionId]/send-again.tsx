'use client'

import { useApi } from '#components/api/api.tsx'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import * as t from '#components/texts/execution-inputs/en.ts'
import type { InputResolution } from '#lib/schemas/inputs.ts'

/** Repeats a delivery that failed or whose outcome is unknown. `closed`: its wait has ended. */
export function SendAgain({ resolution, closed = false }: { resolution: InputResolution; closed?: boolean }) {
  const { id, input, delivery, application, revision } = resolution
  const { client } = useApi()
  const over = closed || application !== 'not_applied' || (delivery !== 'failed' && delivery !== 'unknown')
  return (
    <ReasonDialog
      label={t.sendAgain}
      busyLabel={t.sendingAgain}
      keepLabel={t.dontSend}
      title={t.confirmSendAgain({ input })}
      consequence={delivery === 'unknown' ? t.itIsUnknown : t.firstDeliveryFailedSo}
      permission="input:manage"
      over={over}
      act={(reason, options) =>
        client.executions.inputResolutions.retry.mutate({ id, expectedRevision: revision, reason }, options)
      }
      touches={['executions', 'inputs']}
      done={t.sendingAgain}
      notDone={t.itWasNotSent}
    />
  )
}
