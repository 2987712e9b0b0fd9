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
    if ((await findPolicy(tx, tenant.id, input.policyId)) === undefined) throw notFound()
    const before = input.cursor === undefined ? undefined : Number(input.cursor)
    const rows = await listRows(tx, tenant.id, input.policyId, input.limit + 1, before)
    const actor = await actorsById(
      tx,
      tenant.id,
      rows.map((row) => row.createdBy),
    )
    await requireBound(
      tx,
      tenant.id,
      'policy_version',
      rows.map(({ version }) => `${input.policyId}/${version}`),
    )
    return pageOf(
      rows.map((row) => versionView(row, actor)),
      input.limit,
      (version) => String(version.version),
    )
  },
})
