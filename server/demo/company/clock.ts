import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { ordinaryTime, setClockBehind } from '#server/kernel/clock/process-clock.ts'
import type { Database } from '#server/kernel/db/database.ts'
import { moveTenantClock } from '#server/tenants/clock-store.ts'
import type { OwnQueue } from './own-queue.ts'

const dayMs = 86_400_000
/** After midnight: what the day before still had to write is written. */
const sealedAfterMs = 2_000

/** The clock of the tenant that this process fills, and of the process. */
export type CompanyClock = {
  /** Moves on to a time, unless it has passed: does what is due on the way, and closes each day before the next one begins. */
  to(at: Date): Promise<void>
  /** The clock is the ordinary one from here on. */
  catchUp(): Promise<void>
}

/** `owner`: transactions of the database's owner, who alone may move the clock. */
export function companyClock(tenantId: string, owner: Database, queue: OwnQueue): CompanyClock {
  // The database's clock first: it refuses what the process would write at an earlier time.
  const set = async (behind: number) => {
    await owner.inTenant(tenantId, (tx) => moveTenantClock(tx, tenantId, behind))
    setClockBehind(behind)
  }
  let signed = Math.floor(Date.now() / dayMs)
  const closeDays = async () => {
    const today = Math.floor(Date.now() / dayMs)
    if (today === signed) return
    signed = today
    await signTenant(tenantId)
  }
  const to = async (at: Date) => {
    for (;;) {
      const midnight = (Math.floor(Date.now() / dayMs) + 1) * dayMs + sealedAfterMs
      const stop = Math.min(at.getTime(), midnight, queue.nextAt() ?? Number.POSITIVE_INFINITY)
      if (stop > Date.now()) await set(Math.max(ordinaryTime() - stop, 0))
      await closeDays()
      await queue.runDue()
      if (Date.now() >= at.getTime()) return
    }
  }
  return {
    to,
    async catchUp() {
      await to(new Date(ordinaryTime()))
      await set(0)
      await signTenant(tenantId)
    },
  }
}
