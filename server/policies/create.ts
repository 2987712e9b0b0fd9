import { ApiError } from '#lib/errors.ts'
import { annotatesCourse } from '#lib/rules/approval-terms.ts'
import { CreatePolicyInput, Policy } from '#lib/schemas/policies.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import { requireNewProcesses } from '#server/kernel/db/older-processes.ts'
import { newId } from '#server/kernel/ids.ts'
import { actorOfCall, preparedMutation } from '#server/kernel/operation.ts'
import { requireSound } from '#server/policies/engine/check-policy.ts'
import { sourceDigest } from '#server/policies/language/source-digest.ts'
import { tenantSchema } from '#server/policies/language/tenant-schema.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { insertPolicy, insertVersion } from './store.ts'
import { policyView } from './view.ts'

/**
 * Creates a policy and, with `source`, its first draft. A name that is taken is 409 `name_conflict`; a source with errors is
 * 400 `invalid_policy` with a line and column for each, and then no policy is created.
 */
export const createPolicy = preparedMutation({
  permission: 'policy:author',
  input: CreatePolicyInput,
  output: Policy,
  audit: (input, output) => ({
    action: 'policy.created',
    resource: { type: 'policy', id: output?.id ?? 'none' },
    details: { name: input.name },
  }),
  // The check can take seconds, so it runs before the transaction opens.
  async prepare({ tenant, input }) {
    if (input.source !== undefined) await requireSound(tenant.id, input.source, await tenantSchema(tenant))
  },
  async run({ tx, tenant, principal, input: { source, ...input }, requestId }) {
    const row = { tenantId: tenant.id, id: newId(), ...input, createdBy: principal.memberId }
    const made = await insertPolicy(tx, row)
    if (made === undefined) throw new ApiError('name_conflict', `A policy named ${input.name} already exists.`)
    const actor = await actorsById(tx, tenant.id, [principal.memberId])
    if (source !== undefined) {
      if (annotatesCourse(source)) await requireNewProcesses(tx, 'the stages and times that this policy asks for')
      const digest = sourceDigest(source)
      const version = { tenantId: tenant.id, policyId: row.id, version: 1, source, digest, createdBy: row.createdBy }
      await insertVersion(tx, version)
      await appendAudit(tx, tenant, {
        actor: actorOfCall(principal),
        action: 'policy_version.created',
        resource: { type: 'policy', id: row.id },
        details: { version: 1, digest },
        requestId,
      })
    }
    return policyView({ ...row, ...made, latestPublishedVersion: null }, actor)
  },
})
