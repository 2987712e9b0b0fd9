'use client'

import { useApi } from '#components/api/api.tsx'
import { isLive } from '#components/executions/execution-status.tsx'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import * as t from '#components/texts/execution/en.ts'
import type { Execution, ExecutionStatus } from '#lib/schemas/executions.ts'

/** Cancels the execution, with a reason for the audit record. The consequence depends on its state. */
export function CancelExecution({ execution: { id, status, revision, stopRequestedAt } }: { execution: Execution }) {
  const { client } = useApi()
  return (
    <ReasonDialog
      label={t.cancelExecution}
      busyLabel={t.cancelingExecution}
      keepLabel={t.keepRunning}
      title={t.cancelThisExecution}
      consequence={consequenceOf(status)}
      permission="execution:cancel"
      blocked={stopRequestedAt === null ? undefined : t.stopWasAlreadyRequested}
      over={!isLive(status)}
      act={(reason, options) => client.executions.cancel.mutate({ id, expectedRevision: revision, reason }, options)}
      touches={['executions', 'inputs']}
      done={t.stopOfExecutionWas}
      notDone={t.executionWasNotCanceled}
    />
  )
}

function consequenceOf(status: ExecutionStatus): string {
  if (status === 'running') return t.noFurtherCallsAre
  if (status === 'waiting_approval') return t.approvalRequestIsWithdrawn
  if (status === 'waiting_input') return t.itsWaitsAreClosed
  return t.executionEndsBeforeIt
}
