import { ApiError } from '#lib/errors.ts'
import { CreatePolicyInput, Policy } from '#lib/schemas/policies.ts'
import { newId } from '#server/kernel/ids.ts'
import { mutation } from '#server/kernel/operation.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { insertPolicy } from './store.ts'
import { policyView } from './view.ts'

/** Opens a policy: a name whose versions come next. A name that is taken is 409 `name_conflict`. */
export const createPolicy = mutation({
  permission: 'policy:author',
  input: CreatePolicyInput,
  output: Policy,
  audit: (input, output) => ({
    action: 'policy.created',
    resource: { type: 'policy', id: output?.id ?? 'none' },
    details: { name: input.name },
  }),
  async run({ tx, tenant, principal, input }) {
    const row = { tenantId: tenant.id, id: newId(), ...input, createdBy: principal.memberId }
    const made = await insertPolicy(tx, row)
    if (made === undefined) throw new ApiError('name_conflict', `There is already a policy named ${input.name}.`)
    const actor = await actorsById(tx, tenant.id, [principal.memberId])
    return policyView({ ...row, ...made, latestPublishedVersion: null }, actor)
  },
})
