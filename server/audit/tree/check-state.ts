import type { LogName } from '#server/audit/sealing/log-name.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { type CheckState, findCheckState, setCheckState } from './tile-store.ts'

const purpose = 'audit.tree'
/** The clocks of two processes may differ by this much. */
const aheadMs = 60_000

const bytesOf = (tenantId: string, { log, checkedAt, brokenAt, brokenReason }: Omit<CheckState, 'mac'>): string =>
  JSON.stringify([tenantId, log, textOf(checkedAt), textOf(brokenAt), brokenReason])
const textOf = (time: Date | number | null): string | null =>
  time instanceof Date ? time.toISOString() : time === null ? null : String(time)

/**
 * Returns why the state of the recurring check is not one that this service stored; undefined if it is. A state without a
 * mac is that of an earlier version, and counts as never checked.
 */
export async function whyStateAltered(
  tx: Transaction,
  tenantId: string,
  state: CheckState,
): Promise<string | undefined> {
  const { log, checkedAt, brokenAt, mac } = state
  const now = (await databaseClock(tx))().getTime()
  const isLater = (time: Date | number | null) => time !== null && Number(time) > now + aheadMs
  if (isLater(checkedAt) || isLater(brokenAt)) return `The state of the check of ${log} has a time in the future.`
  if (mac !== null && !(await tenantCipher(tx, tenantId)).checkMac(purpose, bytesOf(tenantId, state), mac))
    return `The state of the check of ${log} does not have the mac of its content.`
}

/** Returns why the last check of a whole log failed, or why its state can't be believed; undefined if it passed. */
export async function findBreak(tx: Transaction, tenantId: string, log: LogName): Promise<string | undefined> {
  const state = await findCheckState(tx, tenantId, log)
  if (state === undefined) return undefined
  return state.brokenAt === null ? await whyStateAltered(tx, tenantId, state) : (state.brokenReason ?? 'unknown')
}

/** Records that the check of the whole log passed. */
export async function setChecked(tx: Transaction, tenantId: string, log: LogName): Promise<void> {
  await store(tx, tenantId, { log, checkedAt: (await databaseClock(tx))(), brokenAt: null, brokenReason: null })
}

/** Returns true only for the first process that reports it. The caller is alone with this log. */
export async function setBroken(tx: Transaction, tenantId: string, log: LogName, reason: string): Promise<boolean> {
  const before = await findCheckState(tx, tenantId, log)
  if (before !== undefined && before.brokenAt !== null) {
    // The mac of an altered row is corrected, so that it is reported once.
    if ((await whyStateAltered(tx, tenantId, before)) === undefined && before.mac !== null) return false
    await store(tx, tenantId, {
      ...before,
      brokenAt: (await databaseClock(tx))(),
      checkedAt: (await databaseClock(tx))(),
    })
    return false
  }
  const now = (await databaseClock(tx))()
  await store(tx, tenantId, { log, checkedAt: now, brokenAt: now, brokenReason: reason })
  return true
}

async function store(tx: Transaction, tenantId: string, state: Omit<CheckState, 'mac'>): Promise<void> {
  const { log, checkedAt, brokenAt, brokenReason } = state
  const mac = (await tenantCipher(tx, tenantId)).mac(purpose, bytesOf(tenantId, state))
  await setCheckState(tx, tenantId, { log, checkedAt, brokenAt, brokenReason, mac })
}
