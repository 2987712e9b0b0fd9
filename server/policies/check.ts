import { CheckPolicyInput, CheckPolicyOutput } from '#lib/schemas/policies.ts'
import { askingQuery } from '#server/kernel/operation.ts'
import { checkPolicy } from '#server/policies/engine/check-policy.ts'
import { tenantSchema } from '#server/policies/language/tenant-schema.ts'

/** What is wrong with a text, by the same checks as when it is stored as a draft; nothing is stored. */
export const checkSource = askingQuery({
  permission: 'policy:author',
  input: CheckPolicyInput,
  output: CheckPolicyOutput,
  ask: async ({ tenant, input }) => ({ problems: await checkPolicy(input.source, await tenantSchema(tenant)) }),
})
