import { procedure, router } from '#server/kernel/trpc.ts'
import { evaluate } from './evaluate.ts'
import { requestApproval } from './request-approval.ts'
import { settle } from './settle.ts'

/** Procedures for external agents, added to the routers of policies and approvals. */
export const externalAgentPolicies = router({
  evaluate: procedure.mutation(evaluate),
  settle: procedure.mutation(settle),
})
export const externalAgentApprovals = router({ request: procedure.mutation(requestApproval) })
