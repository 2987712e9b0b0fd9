import { insertEmptyDays, type LogOwner } from '#server/audit/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { loggedDays } from './read-day.ts'
import { sealClosedDays } from './seal-days.ts'
import { signDay } from './sign-day.ts'

/**
 * Signs the new records of each day between `start` and `end`, closes those that are over, and adds them to the seal log, so
 * that no day in between is missing. `inTenant` runs one transaction per step. Returns the dates. Throws LogRefused.
 */
export async function signPeriod(
  inTenant: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>,
  tenant: LogOwner,
  { start, end }: { start: Date; end: Date },
): Promise<string[]> {
  await inTenant((tx) => insertEmptyDays(tx, tenant.id))
  const dates = await inTenant((tx) => loggedDays(tx, tenant.id, start, end))
  for (const date of dates) await inTenant((tx) => signDay(tx, tenant, date))
  await inTenant((tx) => sealClosedDays(tx, tenant))
  return dates
}
