import { ApiError } from '#lib/errors.ts'
import { findBeginning, findNow } from '#server/audit/coverage-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

/**
 * Throws 400 with the bounds for a period that lies wholly before the tenant's first record or wholly in the future. One that
 * reaches beyond the bounds is cut when it is exported, and the archive states both.
 */
export async function requirePeriod(
  tx: Transaction,
  tenantId: string,
  { startDate, endDate }: { startDate: string; endDate: string },
): Promise<void> {
  const { earliest, latest } = await boundsOf(tx, tenantId)
  const outside =
    Date.parse(endDate) <= earliest.getTime()
      ? 'The period ends before the log begins.'
      : Date.parse(startDate) > latest.getTime()
        ? 'The period begins in the future.'
        : undefined
  if (outside === undefined) return
  const bounds = { earliest: earliest.toISOString(), latest: latest.toISOString() }
  throw new ApiError('bad_request', `${outside} Choose one between ${bounds.earliest} and ${bounds.latest}.`, {
    details: bounds,
  })
}

/** The part of a period for which there is a log now; null if there is none. */
export async function coveredNow(
  tx: Transaction,
  tenantId: string,
  { startAt, endAt }: { startAt: Date; endAt: Date },
): Promise<{ startDate: string; endDate: string } | null> {
  const { earliest, latest } = await boundsOf(tx, tenantId)
  const start = new Date(Math.max(startAt.getTime(), earliest.getTime()))
  const end = new Date(Math.min(endAt.getTime(), latest.getTime()))
  return start < end ? { startDate: start.toISOString(), endDate: end.toISOString() } : null
}

async function boundsOf(tx: Transaction, tenantId: string): Promise<{ earliest: Date; latest: Date }> {
  const latest = await findNow(tx)
  // The record of a request is the first one of a tenant without records.
  return { earliest: (await findBeginning(tx, tenantId)) ?? new Date(latest.toISOString().slice(0, 10)), latest }
}
