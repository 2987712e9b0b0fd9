import { ListResolutionsInput, ResolutionList } from '#lib/schemas/inputs.ts'
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
    return pageOf(rows.map(resolutionView), input.limit, (resolution) => resolution.id)
  },
})
