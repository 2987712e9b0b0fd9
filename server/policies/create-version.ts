import { notFound } from '#lib/errors.ts'
import { annotatesCourse } from '#lib/rules/approval-terms.ts'
import { CreatePolicyVersionInput, PolicyVersion } from '#lib/schemas/policies.ts'
import { requireNewProcesses } from '#server/kernel/db/older-processes.ts'
import { preparedMutation } from '#server/kernel/operation.ts'
import { requireSound } from '#server/policies/engine/check-policy.ts'
import { sourceDigest } from '#server/policies/language/source-digest.ts'
import { tenantSchema } from '#server/policies/language/tenant-schema.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { insertVersion, listVersions, lockPolicy } from './store.ts'
import { versionView } from './view.ts'

/** Stores a source as the policy's next draft. Errors are 400 `invalid_policy` with a line and column for each. */
export const createVersion = preparedMutation({
  permission: 'policy:author',
  input: CreatePolicyVersionInput,
  output: PolicyVersion,
  audit: (input, output) => ({
    action: 'policy_version.created',
    resource: { type: 'policy', id: input.policyId },
    details: output && { version: output.version, digest: output.digest },
  }),
  // The check can take seconds, so it runs before the transaction opens.
  async prepare({ tenant, input }) {
    await requireSound(tenant.id, input.source, await tenantSchema(tenant))
  },
  async run({ tx, tenant, principal, input }) {
    if (annotatesCourse(input.source)) await requireNewProcesses(tx, 'the stages and times that this policy asks for')
    if ((await lockPolicy(tx, tenant.id, input.policyId)) === undefined) throw notFound()
    const [latest] = await listVersions(tx, tenant.id, input.policyId, 1)
    const row = await insertVersion(tx, {
      tenantId: tenant.id,
      policyId: input.policyId,
      version: (latest?.version ?? 0) + 1,
      source: input.source,
      digest: sourceDigest(input.source),
      createdBy: principal.memberId,
    })
    return versionView(row, await actorsById(tx, tenant.id, [row.createdBy]))
  },
})
