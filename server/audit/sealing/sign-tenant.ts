import { listDaysToSign } from '#server/audit/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { alone } from './alone.ts'
import { beginKeyed } from './begin-keyed.ts'
import { type LogName, sealLog } from './log-name.ts'
import { LogRefused } from './log-refused.ts'
import type { SignerMemory } from './memory/signer-memory.ts'
import { reportBroken } from './report-broken.ts'
import { sealClosedDays } from './seal-days.ts'
import { signDay } from './sign-day.ts'
import { insertEmptyDays } from './signer-store.ts'
import { knownMemory } from './why-contradicted.ts'

/** Changed days of which one round reports, and one signing of new records signs. */
const mostReported = 10

/**
 * Signs the tenant's days that have changed, and adds closed days to the seal log. A log that contradicts its checkpoints is
 * reported and not changed; signing continues with the other days. Returns whether new records can be signed by themselves from now on.
 */
export async function signTenant(tenantId: string): Promise<boolean> {
  const { days, memory } = await runtime().database.inTenant(tenantId, async (tx) => {
    const memory = await insertMissingDays(tx, tenantId)
    return { days: await listDaysToSign(tx, tenantId), memory }
  })
  const sealedThrough = memory?.sealedThrough ?? ''
  // Each of them is refused. There may be thousands, if the rows of many days were inserted or deleted.
  const sealedDays = days.filter(({ date }) => date <= sealedThrough).slice(-mostReported)
  await signDays(tenantId, [...sealedDays, ...days.filter((day) => day.date > sealedThrough)])
  await orReported(
    tenantId,
    sealLog,
    alone(tenantId, async (tx) => sealClosedDays(tx, await tenantById(tx, tenantId))),
  )
  if (memory === undefined) return false
  if (memory.keyedFrom !== null) return true
  await orReported(
    tenantId,
    sealLog,
    alone(tenantId, async (tx) => beginKeyed(tx, await tenantById(tx, tenantId))),
  )
  return false
}

/**
 * Signs the newest days that have changed, for a tenant with new records. The rest of what `signTenant` does is due once a day, and is left
 * to its rounds: a busy tenant's log is signed twice a second. Only for a tenant whose log `signTenant` has seen in order.
 */
export async function signNewRecords(tenantId: string): Promise<void> {
  const days = await runtime().database.readInTenant(tenantId, (tx) => listDaysToSign(tx, tenantId))
  await signDays(tenantId, days.slice(-mostReported))
}

async function signDays(tenantId: string, days: readonly { date: string }[]): Promise<void> {
  for (const { date } of days)
    await orReported(
      tenantId,
      date,
      alone(tenantId, async (tx) => signDay(tx, await tenantById(tx, tenantId), date)),
    )
}

/** A log that contradicts its checkpoints is reported. */
const orReported = (tenantId: string, name: LogName, signing: Promise<void>): Promise<void> =>
  signing.catch(async (error: unknown) => {
    if (!(error instanceof LogRefused)) throw error
    await reportBroken(tenantId, name, error)
  })

/** Inserts the days without records. Returns the signer's memory, as far as it can be believed. */
export async function insertMissingDays(tx: Transaction, tenantId: string): Promise<SignerMemory | undefined> {
  const memory = (await knownMemory(tx, { id: tenantId }).catch(unlessRefused))?.memory
  await insertEmptyDays(tx, tenantId, firstOf(memory))
  return memory
}

/** The days from here on must exist. Undefined without a memory: then all from the tenant's first row. */
function firstOf(memory: SignerMemory | undefined): string | undefined {
  if (memory === undefined) return undefined
  const [firstOpen] = Object.keys(memory.days).sort()
  return memory.sealedThrough ?? firstOpen
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof LogRefused)) throw error
}
