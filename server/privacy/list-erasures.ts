import type { z } from 'zod'
import { type Erasure, ErasureList, ListErasuresInput } from '#lib/schemas/privacy.ts'
import { listErasureArchives } from '#server/evidence/erasures/erasures-store.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { listErasures } from './store.ts'
import { actorIn } from './view.ts'

type Status = z.infer<typeof Erasure>['status']

/** erasures.list, newest first. */
export const listAllErasures = query({
  permission: 'subject:erase',
  input: ListErasuresInput,
  output: ErasureList,
  async run({ tx, tenant, input }) {
    const rows = await listErasures(tx, tenant.id, input.limit + 1, input.cursor)
    const { items, nextCursor } = pageOf(rows, input.limit, (row) => row.id)
    await requireBound(
      tx,
      tenant.id,
      'erasure',
      items.map(({ id }) => id),
    )
    const archives = await listErasureArchives(
      tx,
      tenant.id,
      items.map((row) => row.id),
    )
    return {
      items: items.map((row) => ({
        id: row.id,
        status: statusOf(row),
        subjectDigest: row.subjectDigest,
        reason: row.reason,
        requestedBy: actorIn(row),
        spans: row.spans,
        values: row.erasedValues,
        heldSpans: row.heldSpans,
        records: row.records,
        heldRecords: row.heldRecords,
        unreadable: row.unreadable,
        waitsFor: row.waitsFor ?? [],
        archives: archives.get(row.id) ?? [],
        createdAt: row.createdAt.toISOString(),
        completedAt: row.completedAt?.toISOString() ?? null,
      })),
      nextCursor,
    }
  },
})

function statusOf(row: { status: string; heldSpans: number; heldRecords: number; unreadable: number }): Status {
  if (row.status !== 'completed') return 'pending'
  return row.heldSpans + row.heldRecords + row.unreadable > 0 ? 'completed_with_omissions' : 'completed'
}
