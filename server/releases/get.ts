import { notFound } from '#lib/errors.ts'
import type { JsonValue } from '#lib/json.ts'
import { ReleaseDetail } from '#lib/schemas/agents.ts'
import { ById } from '#lib/schemas/common.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import { query } from '#server/kernel/operation.ts'
import { listBoundPolicies } from '#server/policies/decisions/bound-policy-store.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { ReleaseContent } from './content.ts'
import { policyChanges } from './policy-changes.ts'
import { findRelease } from './store.ts'
import { releaseView } from './view.ts'

/** One release with its pinned content, and the changes in bound policies since. */
export const get = query({
  permission: 'release:read',
  input: ById,
  output: ReleaseDetail,
  async run({ tx, tenant, input }) {
    const [row] = await Promise.all([
      findRelease(tx, tenant.id, input.id),
      requireBound(tx, tenant.id, 'release', [input.id]),
    ])
    if (row === undefined) throw notFound()
    const actor = await actorsById(tx, tenant.id, [row.proposedBy])
    const content = ReleaseContent.parse(row.content)
    return { ...releaseView(row, actor), content: content as JsonValue, policyChanges: await changes(content) }

    async function changes({ agent, environment, policies }: ReleaseContent) {
      if (policies === undefined || (row?.status !== 'active' && row?.status !== 'proposed')) return null
      return policyChanges(policies, await listBoundPolicies(tx, tenant.id, agent, environment))
    }
  },
})
