import { procedure, router } from '#server/kernel/trpc.ts'
import { checkSource } from './check-source.ts'
import { getPolicy } from './get-policy.ts'
import { listBindings } from './list-bindings.ts'
import { listBudgets } from './list-budgets.ts'
import { listDecisions } from './list-decisions.ts'
import { listPolicies } from './list-policies.ts'
import { proposeBinding } from './propose-binding.ts'
import { recompute } from './recompute.ts'
import { revokeBinding } from './revoke-binding.ts'
import { simulate } from './simulate.ts'
import { withdrawBinding } from './withdraw-binding.ts'

export const policies = router({
  budgets: procedure.query(listBudgets),
  check: procedure.query(checkSource),
  decisions: procedure.query(listDecisions),
  get: procedure.query(getPolicy),
  list: procedure.query(listPolicies),
  recompute: procedure.query(recompute),
  simulate: procedure.query(simulate),
})

export const policyBindings = router({
  list: procedure.query(listBindings),
  propose: procedure.mutation(proposeBinding),
  revoke: procedure.mutation(revokeBinding),
  withdraw: procedure.mutation(withdrawBinding),
})
