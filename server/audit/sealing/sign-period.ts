import type { LogOwner } from '#server/audit/store.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { alone } from './alone.ts'
import { loggedDays } from './read-day.ts'
import { sealClosedDays } from './seal-days.ts'
import { insertMissingDays } from './sealer.ts'
import { signDay } from './sign-day.ts'

// What an export signs before it reads a period, so that no day in between is missing.

/** The days of the log between `start` and `end`. Throws LogBroken or LogRefused if one is missing that was signed. */
export const datesOf = (tenant: LogOwner, { start, end }: { start: Date; end: Date }): Promise<string[]> =>
  runtime().database.inTenant(tenant.id, async (tx) => {
    await insertMissingDays(tx, tenant.id)
    return await loggedDays(tx, tenant.id, start, end)
  })

/** Signs the new records of a day, and closes it if it is over. Throws LogRefused. */
export const signDate = (tenant: LogOwner, date: string): Promise<void> =>
  alone(tenant.id, (tx) => signDay(tx, tenant, date))

/** Adds the closed days to the seal log. Throws LogRefused. */
export const sealDates = (tenant: LogOwner): Promise<void> => alone(tenant.id, (tx) => sealClosedDays(tx, tenant))
