import { notFound } from '#lib/errors.ts'
import { ById } from '#lib/schemas/common.ts'
import { PolicyDetail } from '#lib/schemas/policies.ts'
import { requireBound, requireBoundBelow } from '#server/kernel/bound/check.ts'
import { query } from '#server/kernel/operation.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { findPolicy, listVersions } from './store.ts'
import { policyView, versionView } from './view.ts'

const newest = 50

/** One policy with its newest versions, sources included. */
export const getPolicy = query({
  permission: 'policy:read',
  input: ById,
  output: PolicyDetail,
  async run({ tx, tenant, input }) {
    const [policy] = await Promise.all([
      findPolicy(tx, tenant.id, input.id),
      requireBound(tx, tenant.id, 'policy', [input.id]),
      requireBoundBelow(tx, tenant.id, 'policy_version', input.id),
    ])
    if (policy === undefined) throw notFound()
    const versions = await listVersions(tx, tenant.id, policy.id, newest)
    const actor = await actorsById(
      tx,
      tenant.id,
      [policy, ...versions].map((row) => row.createdBy),
    )
    return { ...policyView(policy, actor), versions: versions.map((row) => versionView(row, actor)) }
  },
})
