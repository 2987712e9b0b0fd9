import { procedure, router } from '#server/kernel/trpc.ts'
import { cancel } from './cancel.ts'
import { execute } from './execute.ts'
import { get } from './get.ts'
import { getEvents } from './get-events.ts'
import { list } from './list.ts'
import { revise } from './revise.ts'

export const executions = router({
  cancel: procedure.mutation(cancel),
  execute: procedure.mutation(execute),
  get: procedure.query(get),
  getEvents: procedure.query(getEvents),
  list: procedure.query(list),
})

/** Added to the router of approvals. */
export const executionApprovals = router({ revise: procedure.mutation(revise) })
