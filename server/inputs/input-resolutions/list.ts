import { ListResolutionsInput, ResolutionList } from '#lib/schemas/inputs.ts'
import { boundPage } from '#server/kernel/bound/page.ts'
import { query } from '#server/kernel/operation.ts'
import { listResolutions } from '../resolution-store.ts'
import { resolutionView } from '../view.ts'

/** The resolutions with their delivery and application, newest first. */
export const list = query({
  permission: 'input:read',
  input: ListResolutionsInput,
  output: ResolutionList,
  async run({ tx, tenant, input }) {
    const rows = await listResolutions(tx, tenant.id, { ...input, limit: input.limit + 1 })
    return await boundPage(tx, tenant.id, 'input_resolution', {
      rows: rows.map(resolutionView),
      limit: input.limit,
      idOf: ({ id }) => id,
    })
  },
})
