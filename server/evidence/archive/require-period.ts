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
  const now = await findNow(tx)
  // The record of this request is the first one of a tenant without records.
  const beginning = (await findBeginning(tx, tenantId)) ?? new Date(now.toISOString().slice(0, 10))
  const outside =
    Date.parse(endDate) <= beginning.getTime()
      ? 'The period ends before the log begins.'
      : Date.parse(startDate) > now.getTime()
        ? 'The period begins in the future.'
        : undefined
  if (outside === undefined) return
  const bounds = { earliest: beginning.toISOString(), latest: now.toISOString() }
  throw new ApiError('bad_request', `${outside} Choose one between ${bounds.earliest} and ${bounds.latest}.`, {
    details: bounds,
  })
}
