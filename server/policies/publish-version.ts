import { ApiError, notFound } from '#lib/errors.ts'
import { PolicyVersion, PublishPolicyVersionInput } from '#lib/schemas/policies.ts'
import { preparedMutation } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { requireSound } from '#server/policies/engine/check-policy.ts'
import { tenantSchema } from '#server/policies/language/tenant-schema.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { findVersion, setVersionPublished } from './store.ts'
import { versionView } from './view.ts'

/**
 * draft → published: the source can then be bound and never changes. Publishing again is 409. The source is checked again,
 * because the tools may have changed since the draft was stored.
 */
export const publishVersion = preparedMutation({
  permission: 'policy:author',
  input: PublishPolicyVersionInput,
  output: PolicyVersion,
  audit: (input, output) => ({
    action: 'policy_version.published',
    resource: { type: 'policy', id: input.policyId },
    details: { version: input.version, digest: output?.digest },
  }),
  async prepare({ tenant, input }) {
    const draft = await runtime().database.inTenant(tenant.id, (tx) =>
      findVersion(tx, tenant.id, input.policyId, input.version),
    )
    if (draft?.status === 'draft') await requireSound(tenant.id, draft.source, await tenantSchema(tenant))
  },
  async run({ tx, tenant, input }) {
    const row = await setVersionPublished(tx, tenant.id, input.policyId, input.version)
    if (row !== undefined) return versionView(row, await actorsById(tx, tenant.id, [row.createdBy]))
    if ((await findVersion(tx, tenant.id, input.policyId, input.version)) === undefined) throw notFound()
    throw new ApiError('conflict', `Version ${input.version} is already published.`)
  },
})
