import { noteReader } from '#server/audit/notes/checkpoint-note.ts'
import { countBeyond, findLatestCheckpoint, type LogOwner } from '#server/audit/store.ts'
import { setChecked, whyStateAltered } from '#server/audit/tree/check-state.ts'
import { leafHash, treeRoot } from '#server/audit/tree/merkle.ts'
import { type CheckState, findCheckState, findTreeSize, listCheckStates } from '#server/audit/tree/tile-store.ts'
import { rootAt } from '#server/audit/tree/tree.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { type LogName, sealLog } from './log-name.ts'
import { LogRefused, MemoryRefused } from './log-refused.ts'
import { dateOfEntry, entryOf } from './memory/open-memory.ts'
import { LogBroken, recordsOf, storedDay } from './read-day.ts'
import { forgetBroken, reportBroken } from './report-broken.ts'
import { findLatestSealCheckpoint, listSeals } from './seal-store.ts'
import { signTenant } from './sign-tenant.ts'
import { listDates, listRecordsOf, lockSigner } from './signer-store.ts'
import { type KnownMemory, knownMemory } from './why-contradicted.ts'

/** A log that still grows is read again within ten minutes, a closed day and the seal log within a day. */
const openMs = 8 * 60_000
const closedMs = 23 * 3_600_000
const recordsPerSlice = 1000

/** Logs that still grow; those of closed days and the seal log; or both. */
export type DueLogs = 'open' | 'closed' | 'all'

/**
 * Checks the logs of a tenant that are due: hashes every record and every leaf, and compares the root with the signature and
 * with what the signer remembers. A log that fails is reported; one that passes again is no longer marked as broken. Rejects
 * soon after `signal` was aborted: a log that was not read to its end stays due.
 */
export async function recheckTenant(tenantId: string, logs: DueLogs = 'all', signal?: AbortSignal): Promise<void> {
  const { database } = runtime()
  const refused = await database.inTenant(tenantId, (tx) => whyMemoryRefused(tx, tenantId))
  // The rows can't be compared with it: that each log differs from it says nothing about the log.
  if (refused !== undefined) return await reportBroken(tenantId, sealLog, refused)
  const due = await database.inTenant(tenantId, async (tx) => listDue(tx, await tenantById(tx, tenantId), logs))
  for (const { log, altered } of due) {
    signal?.throwIfAborted()
    // Another process may have checked it in the meantime.
    if (altered === undefined && !(await database.inTenant(tenantId, (tx) => isStillDue(tx, tenantId, log)))) continue
    const tenant = await database.inTenant(tenantId, (tx) => tenantById(tx, tenantId))
    const broken = altered ?? (await whyStillBroken(tenant, log, signal))
    if (broken !== undefined) {
      await reportBroken(tenantId, log, { message: broken })
      continue
    }
    await forgetBroken(tenantId, log)
    await database.inTenant(tenantId, (tx) => setChecked(tx, tenantId, log))
  }
}

const whyMemoryRefused = (tx: Transaction, id: string): Promise<MemoryRefused | undefined> =>
  knownMemory(tx, { id }).then(
    () => undefined,
    (error: unknown) => (error instanceof MemoryRefused ? error : Promise.reject(error)),
  )

type Due = { log: LogName; altered: string | undefined }

/** The logs to check, never checked ones first. What must exist follows from the memory too, so that a deleted log is missed. */
async function listDue(tx: Transaction, tenant: LogOwner, logs: DueLogs): Promise<Due[]> {
  const memory = (await knownMemory(tx, tenant).catch(unlessRefused))?.memory
  const states = new Map((await listCheckStates(tx, tenant.id)).map((state) => [state.log, state]))
  const seals = (await listSeals(tx, tenant.id, 0, 2 ** 31 - 1)).map(({ date }) => date)
  const names = new Set([...states.keys(), ...seals, ...Object.keys(memory?.days ?? {})])
  for (const { date, signed } of await listDates(tx, tenant.id)) if (signed) names.add(date)
  const begun = (await findLatestSealCheckpoint(tx, tenant.id)) !== undefined
  if (begun || seals.length > 0 || (memory?.seals.size ?? 0) > 0) names.add(sealLog)
  const sealed = new Set(seals)
  const through = memory?.sealedThrough
  // The memory knows better: a row of the seal log can be inserted for any day.
  const isClosed = (log: LogName) =>
    log === sealLog || (memory === undefined ? sealed.has(log) : through != null && log <= through)
  const now = (await databaseClock(tx))().getTime()
  const due: (Due & { checkedAt: number })[] = []
  for (const log of names) {
    if (logs !== 'all' && (logs === 'closed') !== isClosed(log)) continue
    const state = states.get(log)
    const altered = state === undefined ? undefined : await whyStateAltered(tx, tenant.id, state)
    const checkedAt = checkedTime(state)
    if (altered !== undefined || now - checkedAt >= (isClosed(log) ? closedMs : openMs))
      due.push({ log, altered, checkedAt })
  }
  return due.sort((a, b) => a.checkedAt - b.checkedAt)
}

const checkedTime = (state: CheckState | undefined): number =>
  state === undefined || state.mac === null || state.checkedAt === null ? 0 : Number(state.checkedAt)

async function isStillDue(tx: Transaction, tenantId: string, log: LogName): Promise<boolean> {
  const state = await findCheckState(tx, tenantId, log)
  return (await databaseClock(tx))().getTime() - checkedTime(state) >= openMs
}

/**
 * The same after the tenant was signed: rows are behind the memory where a signer ended between its memory and the COMMIT, and the next
 * signing completes them.
 */
async function whyStillBroken(
  tenant: LogOwner,
  log: LogName,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if ((await whyBroken(tenant, log, signal)) === undefined) return undefined
  await signTenant(tenant.id)
  return await whyBroken(tenant, log, signal)
}

/**
 * Reads a whole log, in slices, and returns why it does not match what was signed; undefined when it does. Rejects after the
 * slice during which `signal` is aborted.
 */
export async function whyBroken(tenant: LogOwner, log: LogName, signal?: AbortSignal): Promise<string | undefined> {
  try {
    if (log === sealLog) await inTenant(tenant, (tx) => checkSeals(tx, tenant))
    else await checkStoredDay(tenant, log, signal)
  } catch (error) {
    if (error instanceof LogBroken || error instanceof LogRefused) return error.message
    throw error
  }
}

const inTenant = <T>(tenant: LogOwner, work: (tx: Transaction) => Promise<T>): Promise<T> =>
  runtime().database.inTenant(tenant.id, work)

/** Each slice is a transaction of its own: a large day must hold neither a connection nor the process. */
async function checkStoredDay(tenant: LogOwner, date: string, signal: AbortSignal | undefined): Promise<void> {
  const day = await inTenant(tenant, (tx) => storedDay(tx, tenant, date))
  const check = recordsOf(tenant, day)
  for (let at = 0; at < day.size; at += recordsPerSlice) {
    const end = Math.min(day.size, at + recordsPerSlice)
    for (const row of await inTenant(tenant, (tx) => listRecordsOf(tx, tenant.id, date, at, end))) check.add(row)
    signal?.throwIfAborted()
  }
  check.end()
  await inTenant(tenant, async (tx) => {
    const beyond = await countBeyond(tx, tenant.id, date)
    if (beyond > 0) throw new LogBroken(`The log of ${date} has ${beyond} stored records beyond its size.`)
    if ((await rootAt(tx, { tenantId: tenant.id, name: date }, day.size))?.equals(day.root) !== true)
      throw new LogBroken(`The stored tree of ${date} does not have the signed root.`)
  })
}

async function checkSeals(tx: Transaction, tenant: LogOwner): Promise<void> {
  // Memory and rows of one moment: another process may be sealing a day.
  await lockSigner(tx, tenant.id)
  const known = await knownMemory(tx, tenant)
  const last = await findLatestSealCheckpoint(tx, tenant.id)
  const seals = await listSeals(tx, tenant.id, 0, 2 ** 31 - 1)
  if (last === undefined) throw new LogBroken('The seal log does not have a checkpoint.')
  const read = (await noteReader(tx, tenant))(sealLog, last.note)
  if (!read.ok) throw new LogBroken(`The checkpoint of the seal log: ${read.reason}`)
  const hashes = seals.map((seal) => leafHash(Buffer.from(seal.entry)))
  const root = treeRoot(hashes)
  const same = read.checkpoint.size === seals.length && root.equals(read.checkpoint.root) && root.equals(last.root)
  if (!same) throw new LogBroken('The closed days are not the signed ones.')
  if ((await rootAt(tx, { tenantId: tenant.id, name: sealLog }, last.size))?.equals(root) !== true)
    throw new LogBroken('The stored tree of closed days does not have the signed root.')
  // No other check reads it: a day's tree is compared with the day whenever the sealer looks for records to sign.
  const treeSize = await findTreeSize(tx, tenant.id, sealLog)
  if (treeSize !== seals.length)
    throw new LogBroken(`The stored tree of closed days has the size ${treeSize} instead of ${seals.length}.`)
  for (const { date, entry } of seals) {
    if (dateOfEntry(entry) !== date) throw new LogBroken(`The entry of ${date} in the seal log is that of another day.`)
    const day = await findLatestCheckpoint(tx, tenant.id, date)
    if (day === undefined || entryOf(day.note) !== entry)
      throw new LogBroken(`The last checkpoint of ${date} is not the sealed one.`)
  }
  if (known !== undefined) await checkRemembered(tx, tenant, seals, hashes, known)
}

/** Compares the seal log and the days with what the signer remembers outside the database. */
async function checkRemembered(
  tx: Transaction,
  tenant: LogOwner,
  seals: readonly { date: string }[],
  hashes: readonly Buffer[],
  { memory, complete }: KnownMemory,
): Promise<void> {
  const { size, root } = memory.seals
  // One more than remembered: only from an older version. One less: the signer died before it stored what it remembers.
  if (seals.length > size && complete)
    throw new LogBroken(`The seal log has ${seals.length} days; the signer remembers ${size}.`)
  if (seals.length >= size && treeRoot(hashes.slice(0, size)).toString('hex') !== root)
    throw new LogBroken(`The seal log does not have the ${size} days that the signer remembers.`)
  const known = new Set(seals.map(({ date }) => date))
  const through = memory.sealedThrough
  const days = new Set((await listDates(tx, tenant.id)).map(({ date }) => date))
  for (const date of Object.keys(memory.days))
    if (!days.has(date)) throw new LogBroken(`The log of ${date} was signed, but its row is missing.`)
  if (seals.length >= size && through !== null)
    for (const date of days)
      if (date <= through && !known.has(date))
        throw new LogBroken(`${date} is not in the seal log, but earlier than its end.`)
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof LogRefused)) throw error
}
