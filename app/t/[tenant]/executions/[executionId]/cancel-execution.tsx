'use client'

import { useApi } from '#components/api/api.tsx'
import { isLive } from '#components/executions/execution-status.tsx'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import type { Execution, ExecutionStatus } from '#lib/schemas/executions.ts'

/** Stops the execution, with a reason for the record. What will happen depends on where it stands. */
export function CancelExecution({ execution: { id, status, revision, stopRequestedAt } }: { execution: Execution }) {
  const { client } = useApi()
  return (
    <ReasonDialog
      label="Cancel the execution"
      busyLabel="Canceling the execution"
      keepLabel="Let it go on"
      title="Cancel this execution?"
      consequence={consequenceOf(status)}
      permission="execution:cancel"
      blocked={stopRequestedAt === null ? undefined : 'It was asked to stop already.'}
      over={!isLive(status)}
      act={(reason, options) => client.executions.cancel.mutate({ id, expectedRevision: revision, reason }, options)}
      touches={['executions', 'inputs']}
      done="The execution was asked to stop."
      notDone="The execution was not canceled."
    />
  )
}

function consequenceOf(status: ExecutionStatus): string {
  if (status === 'running')
    return 'No further call is made. A call that is under way is given up; if nobody can say whether it took effect, the execution ends with an unknown outcome instead of canceled. It does not go on again.'
  if (status === 'waiting_approval')
    return 'The request for approval is withdrawn, and the call is not made. It ends at once and does not go on again.'
  if (status === 'waiting_input')
    return 'Its waits are closed, and what is sent later is not taken. It ends at once and does not go on again.'
  return 'It ends before it has begun; nothing was called.'
}
