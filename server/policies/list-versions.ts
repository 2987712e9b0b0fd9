import { notFound } from '#lib/errors.ts'
import { ListPolicyVersionsInput, PolicyVersionList } from '#lib/schemas/policies.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { findPolicy, listVersions as listRows } from './store.ts'
import { versionView } from './view.ts'

/** The versions of a policy, drafts included, newest first. */
export const listVersions = query({
  permission: 'policy:read',
  input: ListPolicyVersionsInput,
  output: PolicyVersionList,
  async run({ tx, tenant, input }) {
    const before = input.cursor === undefined ? undefined : Number(input.cursor)
    const [policy, rows] = await Promise.all([
      findPolicy(tx, tenant.id, input.policyId),
      listRows(tx, tenant.id, input.policyId, input.limit + 1, before),
    ])
    if (policy === undefined) throw notFound()
    const [actor] = await Promise.all([
      actorsById(
        tx,
        tenant.id,
        rows.map((row) => row.createdBy),
      ),
      requireBound(
        tx,
        tenant.id,
        'policy_version',
        rows.map(({ version }) => `${input.policyId}/${version}`),
      ),
    ])
    return pageOf(
      rows.map((row) => versionView(row, actor)),
      input.limit,
      (version) => String(version.version),
    )
  },
})
