import type { LogOwner } from '#server/audit/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { olderProcesses } from '#server/kernel/db/older-processes.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { alone } from './alone.ts'
import { loggedDays } from './read-day.ts'
import { sealClosedDays } from './seal-days.ts'
import { signDay } from './sign-day.ts'
import { insertMissingDays } from './sign-tenant.ts'
import { lockSigner } from './signer-store.ts'
import { SigningWaits } from './signing-waits.ts'

// What an export signs before it reads a period, so that no day in between is missing.

/** Inserts the days without records, such as those on which no process ran. */
export const insertDays = (tenantId: string): Promise<void> =>
  runtime().database.inTenant(tenantId, (tx) => insertWith(tx, tenantId))

async function insertWith(tx: Transaction, tenantId: string): Promise<void> {
  // A signer that is between the memory and its commit would look like a lost day.
  await lockSigner(tx, tenantId)
  await insertMissingDays(tx, tenantId)
}

/** The days of the log between `start` and `end`. Throws LogBroken or LogRefused if one is missing that was signed. */
export const datesOf = (tenant: LogOwner, { start, end }: { start: Date; end: Date }): Promise<string[]> =>
  runtime().database.inTenant(tenant.id, async (tx) => {
    await insertWith(tx, tenant.id)
    return await loggedDays(tx, tenant.id, start, end)
  })

/** Signs the new records of a day, and closes it if it is over. Throws LogRefused and SigningWaits. */
export const signDate = (tenant: LogOwner, date: string): Promise<void> =>
  alone(tenant.id, async (tx) => {
    await mustSign(tx)
    await signDay(tx, tenant, date)
  })

/** Adds the closed days to the seal log. Throws LogRefused and SigningWaits. */
export const sealDates = (tenant: LogOwner): Promise<void> =>
  alone(tenant.id, async (tx) => {
    await mustSign(tx)
    await sealClosedDays(tx, tenant)
  })

async function mustSign(tx: Transaction): Promise<void> {
  if (await olderProcesses(tx)) throw new SigningWaits()
}
