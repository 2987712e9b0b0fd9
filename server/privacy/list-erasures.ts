import type { z } from 'zod'
import { type Erasure, ErasureList, ListErasuresInput } from '#lib/schemas/privacy.ts'
import { listErasureArchives } from '#server/evidence/erasures/erasures-store.ts'
import { boundPage } from '#server/kernel/bound/page.ts'
import { query } from '#server/kernel/operation.ts'
import { findObjects } from './content-store.ts'
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
    const page = { rows, limit: input.limit, idOf: ({ id }: { id: string }) => id }
    const { items, nextCursor } = await boundPage(tx, tenant.id, 'erasure', page)
    const waiting = await findObjects(tx, tenant.id, [...new Set(items.flatMap(({ waitsFor }) => waitsFor ?? []))])
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
        waitsForObjects: waiting.filter(({ of }) => row.waitsFor?.includes(of) === true),
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
