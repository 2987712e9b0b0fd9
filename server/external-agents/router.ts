import { procedure, router } from '#server/kernel/trpc.ts'
import { evaluate } from './evaluate.ts'
import { requestApproval } from './request-approval.ts'
import { settle } from './settle.ts'

/** What stands beside the procedures of policies and approvals, for external agents. */
export const externalAgentPolicies = router({
  evaluate: procedure.mutation(evaluate),
  settle: procedure.mutation(settle),
})
export const externalAgentApprovals = router({ request: procedure.mutation(requestApproval) })
