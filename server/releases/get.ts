import { notFound } from '#lib/errors.ts'
import type { JsonValue } from '#lib/json.ts'
import { ReleaseDetail } from '#lib/schemas/agents.ts'
import { ById } from '#lib/schemas/common.ts'
import { query } from '#server/kernel/operation.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { ReleaseContent } from './content.ts'
import { findRelease } from './store.ts'
import { releaseView } from './view.ts'

/** One release with all that it pins. */
export const get = query({
  permission: 'release:read',
  input: ById,
  output: ReleaseDetail,
  async run({ tx, tenant, input }) {
    const row = await findRelease(tx, tenant.id, input.id)
    if (row === undefined) throw notFound()
    const actor = await actorsById(tx, tenant.id, [row.proposedBy])
    return { ...releaseView(row, actor), content: ReleaseContent.parse(row.content) as JsonValue }
  },
})
