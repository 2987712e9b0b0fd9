import { ListReleasesInput, ReleaseList } from '#lib/schemas/agents.ts'
import { boundPage } from '#server/kernel/bound/page.ts'
import { query } from '#server/kernel/operation.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { listReleases } from './store.ts'
import { releaseView } from './view.ts'

/** Releases with any status, newest first. */
export const list = query({
  permission: 'release:read',
  input: ListReleasesInput,
  output: ReleaseList,
  async run({ tx, tenant, input }) {
    const rows = await listReleases(tx, tenant.id, input.agentId, input.limit + 1, input.cursor)
    const actor = await actorsById(
      tx,
      tenant.id,
      rows.map((row) => row.proposedBy),
    )
    return await boundPage(tx, tenant.id, 'release', {
      rows: rows.map((row) => releaseView(row, actor)),
      limit: input.limit,
      idOf: ({ id }) => id,
    })
  },
})
