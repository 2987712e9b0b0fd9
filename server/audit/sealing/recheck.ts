import { brokenLog, raiseAlarm } from '#server/audit/alarms/raise-alarm.ts'
import { noteReader } from '#server/audit/notes/checkpoint-note.ts'
import { parseNote } from '#server/audit/notes/signed-note.ts'
import { countBeyond, findLatestCheckpoint, type LogOwner } from '#server/audit/store.ts'
import { leafHash, treeRoot } from '#server/audit/tree/merkle.ts'
import { listLogsToCheck, setChecked } from '#server/audit/tree/tile-store.ts'
import { rootAt } from '#server/audit/tree/tree.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { type LogName, sealLog } from './log-name.ts'
import { LogRefused } from './log-refused.ts'
import { checkDay, LogBroken, storedDay } from './read-day.ts'
import { findLatestSealCheckpoint, listSeals } from './seal-store.ts'
import { findSignedHead } from './signed-heads.ts'

/**
 * Checks the logs of a tenant that were not checked within a day: hashes every record and every leaf, and compares the root
 * with the signature. `raiseAlarm` reports a log that fails; a log that passes again is no longer marked as broken.
 */
export async function recheckTenant(tenantId: string): Promise<void> {
  const { database } = runtime()
  for (const log of await database.inTenant(tenantId, (tx) => listLogsToCheck(tx, tenantId))) {
    const broken = await database.inTenant(tenantId, async (tx) => whyBroken(tx, await tenantById(tx, tenantId), log))
    if (broken !== undefined) await raiseAlarm(tenantId, brokenLog(log, broken))
    else await database.inTenant(tenantId, (tx) => setChecked(tx, tenantId, log))
  }
}

/** Reads a whole log, and returns why it does not match the signature; undefined when it does. */
export async function whyBroken(tx: Transaction, tenant: LogOwner, log: LogName): Promise<string | undefined> {
  try {
    if (log === sealLog) await checkSeals(tx, tenant)
    else await checkStoredDay(tx, tenant, log)
    return await whyOlder(tx, tenant, log)
  } catch (error) {
    if (error instanceof LogBroken || error instanceof LogRefused) return error.message
    throw error
  }
}

async function checkStoredDay(tx: Transaction, tenant: LogOwner, date: string): Promise<void> {
  const day = await storedDay(tx, tenant, date)
  await checkDay(tx, tenant, day)
  const beyond = await countBeyond(tx, tenant.id, date)
  if (beyond > 0) throw new LogBroken(`The log of ${date} has ${beyond} stored records beyond its size.`)
  if ((await rootAt(tx, { tenantId: tenant.id, name: date }, day.size))?.equals(day.root) !== true)
    throw new LogBroken(`The stored tree of ${date} does not have the signed root.`)
}

async function checkSeals(tx: Transaction, tenant: LogOwner): Promise<void> {
  const last = await findLatestSealCheckpoint(tx, tenant.id)
  const seals = await listSeals(tx, tenant.id, 0, 2 ** 31 - 1)
  if (last === undefined) throw new LogBroken('The seal log does not have a checkpoint.')
  const read = (await noteReader(tx, tenant))(sealLog, last.note)
  if (!read.ok) throw new LogBroken(`The checkpoint of the seal log: ${read.reason}`)
  const root = treeRoot(seals.map((seal) => leafHash(Buffer.from(seal.entry))))
  const same = read.checkpoint.size === seals.length && root.equals(read.checkpoint.root) && root.equals(last.root)
  if (!same) throw new LogBroken('The closed days are not the signed ones.')
  if ((await rootAt(tx, { tenantId: tenant.id, name: sealLog }, last.size))?.equals(root) !== true)
    throw new LogBroken('The stored tree of closed days does not have the signed root.')
  for (const { date, entry } of seals) {
    const day = await findLatestCheckpoint(tx, tenant.id, date)
    if (day === undefined || parseNote(day.note).text !== entry)
      throw new LogBroken(`The last checkpoint of ${date} is not the sealed one.`)
  }
}

/** Returns why the log no longer contains what this node signed; undefined when it does. */
async function whyOlder(tx: Transaction, tenant: LogOwner, log: LogName): Promise<string | undefined> {
  const head = await findSignedHead(tenant, log)
  if (head === undefined) return undefined
  if ((await rootAt(tx, { tenantId: tenant.id, name: log }, head.size))?.equals(head.root) === true) return undefined
  return `The stored log does not begin with the ${head.size} leaves that this node has signed.`
}
