import { ListResolutionsInput, ResolutionList } from '#lib/schemas/inputs.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { listResolutions } from '../resolution-store.ts'
import { resolutionView } from '../view.ts'

/** The resolutions with their delivery and application, newest first. */
export const list = query({
  permission: 'input:read',
  input: ListResolutionsInput,
  output: ResolutionList,
  async run({ tx, tenant, input }) {
    const rows = await listResolutions(tx, tenant.id, { ...input, limit: input.limit + 1 })
    const page = pageOf(rows.map(resolutionView), input.limit, (resolution) => resolution.id)
    await requireBound(
      tx,
      tenant.id,
      'input_resolution',
      page.items.map(({ id }) => id),
    )
    return page
  },
})
