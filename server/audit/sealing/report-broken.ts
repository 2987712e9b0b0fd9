import { brokenLog, raiseAlarm, refusedMemory } from '#server/audit/alarms/raise-alarm.ts'
import { lockSubject } from '#server/audit/alarms/store.ts'
import { setBroken } from '#server/audit/tree/check-state.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { LogName } from './log-name.ts'
import { LogRefused, MemoryRefused } from './log-refused.ts'
import { keepMemory, MemoryMoved, readMemory, type SignerMemory } from './memory/signer-memory.ts'

/**
 * Reports a broken log once, in the process log and in the audit log, and remembers it outside the database. From then on
 * none of its records verify.
 */
export async function reportBroken(tenantId: string, log: LogName, why: Pick<LogRefused, 'message'>): Promise<void> {
  const reason = why.message
  // One alarm for all logs: until an operator has decided, none of them is known to be broken, and none of them verifies.
  if (why instanceof MemoryRefused) {
    try {
      await runtime().database.inTenant(tenantId, async (tx) => {
        await lockSubject(tx, tenantId, brokenLog(log, reason).kind, log)
        await setBroken(tx, tenantId, log, reason)
      })
    } finally {
      await raiseAlarm(tenantId, refusedMemory(why))
    }
    return
  }
  try {
    await changeBroken(tenantId, (broken) => (log in broken ? broken : { ...broken, [log]: reason }))
  } finally {
    // Also while the memory can't be written.
    await raiseAlarm(tenantId, brokenLog(log, reason))
  }
}

/** Call it when the whole log was read and found to be as it was signed. */
export const forgetBroken = (tenantId: string, log: LogName): Promise<void> =>
  changeBroken(tenantId, (broken) => {
    const { [log]: found, ...others } = broken
    return found === undefined ? broken : others
  })

type Broken = SignerMemory['broken']

async function changeBroken(tenantId: string, change: (broken: Broken) => Broken): Promise<void> {
  const attempt = async (tx: Transaction) => {
    // Without a memory, or with a damaged one, nothing is signed anyway.
    const opened = await readMemory(tx, { id: tenantId }).catch(unlessRefused)
    if (opened === undefined) return
    const broken = change(opened.memory.broken)
    if (broken !== opened.memory.broken) await keepMemory(tx, opened, { broken })
  }
  for (let left = 3; ; left--) {
    try {
      return await runtime().database.inTenant(tenantId, attempt)
    } catch (error) {
      // A signer was faster: its memory is read again.
      if (!(error instanceof MemoryMoved) || left === 0) throw error
    }
  }
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof LogRefused)) throw error
}
