'use client'

import { useApi } from '#components/api/api.tsx'
import { isLive } from '#components/executions/execution-status.tsx'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import type { Execution, ExecutionStatus } from '#lib/schemas/executions.ts'

/** Cancels the execution, with a reason for the audit record. The consequence depends on its state. */
export function CancelExecution({ execution: { id, status, revision, stopRequestedAt } }: { execution: Execution }) {
  const { client } = useApi()
  return (
    <ReasonDialog
      label="Cancel the execution"
      busyLabel="Canceling the execution…"
      keepLabel="Keep running"
      title="Cancel this execution?"
      consequence={consequenceOf(status)}
      permission="execution:cancel"
      blocked={stopRequestedAt === null ? undefined : 'A stop was already requested.'}
      over={!isLive(status)}
      act={(reason, options) => client.executions.cancel.mutate({ id, expectedRevision: revision, reason }, options)}
      touches={['executions', 'inputs']}
      done="A stop of the execution was requested."
      notDone="The execution was not canceled."
    />
  )
}

function consequenceOf(status: ExecutionStatus): string {
  if (status === 'running')
    return 'No further calls are made. A call in progress is abandoned. If its effect is unknown, the execution ends with an unknown outcome instead of canceled. It can’t be resumed.'
  if (status === 'waiting_approval')
    return 'The approval request is withdrawn, and the call is not made. The execution ends immediately and can’t be resumed.'
  if (status === 'waiting_input')
    return 'Its waits are closed, and later input is not accepted. The execution ends immediately and can’t be resumed.'
  return 'The execution ends before it has started. No calls are made.'
}
