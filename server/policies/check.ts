import { CheckPolicyInput, CheckPolicyOutput } from '#lib/schemas/policies.ts'
import { askingQuery } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { checkPolicy } from '#server/policies/engine/check-policy.ts'
import { tenantSchema } from '#server/policies/language/tenant-schema.ts'
import { unapprovable } from './unapprovable.ts'

/**
 * Runs the checks of a draft on a source and returns the issues, without storing it. Its warnings are about groups that could not
 * approve now: a draft may be stored before they are set up.
 */
export const checkSource = askingQuery({
  permission: 'policy:author',
  input: CheckPolicyInput,
  output: CheckPolicyOutput,
  async ask({ tenant, input: { source } }) {
    const problems = await checkPolicy(tenant.id, source, await tenantSchema(tenant))
    const warnings =
      problems.length > 0 ? [] : await runtime().database.inTenant(tenant.id, (tx) => unapprovable(tx, tenant, source))
    return { problems, warnings }
  },
})
