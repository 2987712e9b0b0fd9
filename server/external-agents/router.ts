import { procedure, router } from '#server/kernel/trpc.ts'
import { evaluate } from './evaluate.ts'
import { requestApproval } from './request-approval.ts'
import { settle } from './settle.ts'

/** What stands beside the procedures of policies and approvals, for agents that run elsewhere. */
export const foreignPolicies = router({
  evaluate: procedure.mutation(evaluate),
  settle: procedure.mutation(settle),
})
export const foreignApprovals = router({ request: procedure.mutation(requestApproval) })
