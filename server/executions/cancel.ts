import { ApiError, notFound } from '#lib/errors.ts'
import { CancelExecutionInput, CancelExecutionOutput } from '#lib/schemas/executions.ts'
import { Fenced } from '#server/executions/state/journal.ts'
import { type Loaded, loadExecution } from '#server/executions/state/load.ts'
import { requestStop } from '#server/executions/stop/request-stop.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'

/**
 * Stops an execution. One that is waiting or has not started ends immediately; a running one ends within seconds, as canceled,
 * or as indeterminate when it is unknown whether the current call ran.
 */
export const cancel = mutation({
  permission: 'execution:cancel',
  input: CancelExecutionInput,
  output: CancelExecutionOutput,
  audit: (input, output) => ({
    action: 'execution.stop_requested',
    resource: { type: 'execution', id: input.id },
    reason: input.reason,
    details: output && { status: output.status },
  }),
  async run({ tx, tenant, input, repeated }) {
    const loaded = await loadExecution(tx, tenant.id, input.id)
    if (loaded === undefined) throw notFound()
    const { row } = loaded
    if (row.endedAt !== null)
      throw refuse('conflict', `The execution has already ended with the status ${loaded.status}.`)
    if (row.stopRequestedAt !== null) {
      repeated()
      return answer(loaded)
    }
    if (row.revision !== input.expectedRevision) throw conflict(row.revision)
    try {
      await requestStop(tx, loaded, input.reason)
    } catch (error) {
      if (error instanceof Fenced) throw conflict(row.revision + 1)
      throw error
    }
    const after = await loadExecution(tx, tenant.id, input.id)
    if (after === undefined) throw notFound()
    return answer(after)
  },
})

const answer = ({ row, status }: Loaded) => ({
  id: row.id,
  status,
  revision: row.revision,
  stopRequestedAt: row.stopRequestedAt?.toISOString() ?? null,
  stopConfirmedAt: row.stopConfirmedAt?.toISOString() ?? null,
})

const conflict = (revision: number) =>
  new ApiError('revision_conflict', 'This execution changed after you opened it. Reload it and try again.', {
    details: { revision },
  })
