import { CheckPolicyInput, CheckPolicyOutput } from '#lib/schemas/policies.ts'
import { askingQuery } from '#server/kernel/operation.ts'
import { checkPolicy } from '#server/policies/engine/check-policy.ts'
import { tenantSchema } from '#server/policies/language/tenant-schema.ts'

/** Runs the checks of a draft on a source and returns the issues, without storing it. */
export const checkSource = askingQuery({
  permission: 'policy:author',
  input: CheckPolicyInput,
  output: CheckPolicyOutput,
  ask: async ({ tenant, input }) => ({
    problems: await checkPolicy(tenant.id, input.source, await tenantSchema(tenant)),
  }),
})
