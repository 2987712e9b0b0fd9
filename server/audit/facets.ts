import { z } from 'zod'
import { AuditFacets } from '#lib/schemas/audit.ts'
import { query } from '#server/kernel/operation.ts'
import { listRecentActors, listTypes } from './facets-store.ts'

/** A longer list would not help anyone choose. */
const mostActors = 200
/** The number of recent records whose actors are listed, so that the cost doesn't depend on the log's size. */
const recentRecords = 5000

/** Returns values for the filters of audit.list: all recorded actions, and recent actors. */
export const facets = query({
  permission: 'audit:read',
  input: z.strictObject({}).optional(),
  output: AuditFacets,
  async run({ tx, tenant }) {
    const actors = await listRecentActors(tx, tenant.id, { records: recentRecords, limit: mostActors })
    return { actions: await listTypes(tx, tenant.id), actors }
  },
})
