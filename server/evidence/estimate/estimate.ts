import type { ExportEstimate, ExportScope } from '#lib/schemas/evidence.ts'
import { listDays } from '#server/audit/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { countContents, mostCountCost } from './estimate-store.ts'

// Rough: bytes of a record in the ZIP, the part of a span's text that compression leaves, and a rate that a busy machine reaches.
const bytesPerRecord = 600
const bytesPerSpanFrame = 600
const compressed = 0.5
const bytesPerSecond = 15_000_000
/** README, verifiers, keys, proofs: the same in every archive. */
const fixedBytes = 80_000

/**
 * What an archive would contain, and roughly its size. `objects`: its lines other than those of the log. Counts that PostgreSQL
 * expects to cost more than `mostCost` are its own estimates.
 */
export async function estimateExport(
  tx: Transaction,
  tenantId: string,
  period: { startAt: Date; endAt: Date; scope: ExportScope | null; includeRawPayloads: boolean },
  mostCost = mostCountCost,
): Promise<Omit<ExportEstimate, 'covers'> & { objects: number }> {
  const { startAt, endAt, scope, includeRawPayloads } = period
  const days = await listDays(tx, tenantId, startAt, endAt)
  const counts = await countContents(tx, tenantId, { start: startAt, end: endAt, scope }, mostCost)
  const { executions, approvals, decisions, events, spans, bytesPerSpan, exact } = counts
  const objects = executions + 3 * approvals + decisions + events + spans
  const logged = days.reduce((sum, day) => sum + day.size, 0)
  // An archive of a scope contains the hashes of the other records and not their content.
  const records = scope === null ? logged : objects - spans
  const spanBytes = spans * (bytesPerSpan * (includeRawPayloads ? 2 : 1) + bytesPerSpanFrame) * compressed
  const bytes = Math.round(fixedBytes + spanBytes + (objects - spans + records) * bytesPerRecord + logged * 32)
  return {
    executions,
    approvals,
    decisions,
    spans,
    records,
    bytes,
    seconds: Math.ceil(2 + bytes / bytesPerSecond),
    exact,
    objects,
  }
}
