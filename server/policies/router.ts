import { procedure, router } from '#server/kernel/trpc.ts'
import { listBindings } from '#server/policies/bindings/list.ts'
import { proposeBinding } from '#server/policies/bindings/propose.ts'
import { revokeBinding } from '#server/policies/bindings/revoke.ts'
import { withdrawBinding } from '#server/policies/bindings/withdraw.ts'
import { listBudgets } from '#server/policies/budgets/list.ts'
import { listDecisions } from '#server/policies/decisions/list.ts'
import { recompute } from '#server/policies/decisions/recompute.ts'
import { checkSource } from './check.ts'
import { getPolicy } from './get.ts'
import { listPolicies } from './list.ts'
import { preview } from './preview.ts'
import { rules } from './rules.ts'
import { simulate } from './simulate.ts'

export const policies = router({
  budgets: procedure.query(listBudgets),
  check: procedure.query(checkSource),
  decisions: procedure.query(listDecisions),
  get: procedure.query(getPolicy),
  list: procedure.query(listPolicies),
  preview: procedure.query(preview),
  recompute: procedure.query(recompute),
  rules: procedure.query(rules),
  simulate: procedure.query(simulate),
})

export const policyBindings = router({
  list: procedure.query(listBindings),
  propose: procedure.mutation(proposeBinding),
  revoke: procedure.mutation(revokeBinding),
  withdraw: procedure.mutation(withdrawBinding),
})
