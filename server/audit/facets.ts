import { z } from 'zod'
import { AuditFacets } from '#lib/schemas/audit.ts'
import { query } from '#server/kernel/operation.ts'
import { listRecentActors, listTypes } from './facets-store.ts'

/** More would be no list to choose from. */
const mostActors = 200
/** Records that are looked through for who acted: as many at any size of the log. */
const recentRecords = 5000

/** What the filters of audit.list can be set to: every action that was ever recorded, and who acted lately. */
export const facets = query({
  permission: 'audit:read',
  input: z.strictObject({}).optional(),
  output: AuditFacets,
  async run({ tx, tenant }) {
    const actors = await listRecentActors(tx, tenant.id, { records: recentRecords, limit: mostActors })
    return { actions: await listTypes(tx, tenant.id), actors }
  },
})
