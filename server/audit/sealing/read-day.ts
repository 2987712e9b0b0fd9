import { type HashedRecord, streamRecordLots } from '#server/audit/hashed-store.ts'
import { noteReader } from '#server/audit/notes/checkpoint-note.ts'
import { formatTlogProof } from '#server/audit/notes/tlog-proof.ts'
import { type LogOwner, listDays } from '#server/audit/store.ts'
import { growingTree, leafHash, rootFromInclusionProof } from '#server/audit/tree/merkle.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { dayHead } from './day-head.ts'
import { type DaySeal, daySeal, type SealsHead } from './day-seal.ts'
import { sealLog } from './log-name.ts'
import { type LoggedTexts, loggedTexts } from './record-leaf.ts'
import { countSeals, listSeals } from './seal-store.ts'
import { knownMemory, whyFoundBroken } from './why-contradicted.ts'

/** The stored log of a day is not the signed one. */
export class LogBroken extends Error {
  override readonly name = 'LogBroken'
}

/**
 * The signed part of a day of the log. `open`: the day has not been closed, and this is an interim checkpoint; under a given head of
 * the seal log, that this head does not contain the day.
 */
export type SignedDay = {
  date: string
  size: number
  root: Buffer
  note: string
  origin: string
  verifierKey: string
  open: boolean
  /** The day's place in the seal log, and the key of its checkpoint; undefined while the day is open. */
  seal: { tlogProof: string; verifierKey: string } | undefined
}

/**
 * The days of the log between `start` and `end`, as whole UTC days. Throws LogBroken or LogRefused if a day is missing that was
 * signed.
 */
export async function loggedDays(tx: Transaction, tenantId: string, start: Date, end: Date): Promise<string[]> {
  const dates = (await listDays(tx, tenantId, start, end)).map((day) => day.date)
  const known = await knownMemory(tx, { id: tenantId })
  if (known === undefined) return dates
  const { memory, complete } = known
  const sealed = await countSeals(tx, tenantId)
  if (sealed === undefined || sealed < memory.seals.size || (complete && sealed > memory.seals.size))
    throw new LogBroken(`The seal log has ${sealed ?? 'gaps in its'} days; the signer remembers ${memory.seals.size}.`)
  const signed = [...Object.keys(memory.days), ...(await listSeals(tx, tenantId, 0, sealed)).map(({ date }) => date)]
  const [from, to] = [start, new Date(end.getTime() - 1)].map((time) => time.toISOString().slice(0, 10))
  const missing = signed.find((date) => date >= (from ?? '') && date <= (to ?? '') && !dates.includes(date))
  if (missing !== undefined) throw new LogBroken(`The log of ${missing} was signed, but its row is missing.`)
  return dates
}

/** The last checkpoint of `date`, after checking its signature. Throws LogBroken. */
export async function checkedDay(
  tx: Transaction,
  tenant: LogOwner,
  date: string,
  under?: SealsHead,
): Promise<SignedDay> {
  const broken = await whyFoundBroken(tx, tenant, date)
  if (broken !== undefined) throw new LogBroken(broken)
  return await storedDay(tx, tenant, date, under)
}

/**
 * Returns the last checkpoint of `date` after checking its signature, and its place in the seal log. `under`: the head of the seal log
 * to which that place is proved, so that several days are proved to one head; by default the last one. Throws LogBroken when the
 * checkpoint is missing or not the tenant's.
 */
export async function storedDay(
  tx: Transaction,
  tenant: LogOwner,
  date: string,
  under?: SealsHead,
): Promise<SignedDay> {
  const { checkpoint, seal, contradicted } = await dayHead(tx, tenant, date)
  if (checkpoint === undefined) throw new LogBroken(`The log of ${date} does not have a checkpoint.`)
  const note = (await noteReader(tx, tenant))(date, checkpoint.note)
  if (!note.ok) throw new LogBroken(`The checkpoint of ${date}: ${note.reason}`)
  const { origin, size, root } = note.checkpoint
  if (size !== checkpoint.size || !checkpoint.root.equals(root))
    throw new LogBroken(`The checkpoint of ${date} does not match its row.`)
  if (contradicted !== undefined) throw new LogBroken(contradicted)
  const [day] = await listDays(tx, tenant.id, new Date(date), new Date(Date.parse(date) + 1))
  const proved = under === undefined ? seal : await daySeal(tx, tenant.id, date, under)
  return {
    date,
    size,
    root: checkpoint.root,
    note: checkpoint.note,
    origin,
    verifierKey: note.verifierKey,
    open: under === undefined ? (day?.sealedAt ?? null) === null : proved === undefined,
    seal: await sealOf(tx, tenant, date, proved),
  }
}

/** A record of the log, with the texts that its hashes cover. */
export type LoggedRecord = HashedRecord & LoggedTexts

/**
 * Yields the records of a signed day in order, many at a time. Each is hashed again before it is yielded, and their root is
 * compared after the last one. Throws LogBroken for the first one that was changed, moved or removed.
 */
export async function* readDay(tx: Transaction, tenant: LogOwner, day: SignedDay): AsyncGenerator<LoggedRecord[]> {
  const check = recordsOf(tenant, day)
  for await (const lot of streamRecordLots(tx, tenant.id, day.date, day.size))
    yield lot.map((row) => Object.assign(row, check.add(row)))
  check.end()
}

/** Checks the records of a signed day, in order, as they are read. Throws LogBroken. */
export function recordsOf(tenant: LogOwner, day: Pick<SignedDay, 'date' | 'size' | 'root'>) {
  const tree = growingTree()
  return {
    add(row: HashedRecord): LoggedTexts {
      if (row.seq !== tree.size()) throw new LogBroken(`Record ${tree.size()} of ${day.date} is missing.`)
      const texts = loggedTexts(row, tenant.externalId)
      if ('altered' in texts) throw new LogBroken(`Record ${row.seq} of ${day.date} was changed: ${texts.altered}.`)
      tree.add(row.leafHash)
      return texts
    },
    end(): void {
      if (tree.size() !== day.size) throw new LogBroken(`Record ${tree.size()} of ${day.date} is missing.`)
      if (!tree.root().equals(day.root)) throw new LogBroken(`The records of ${day.date} do not have the signed root.`)
    },
  }
}

async function sealOf(
  tx: Transaction,
  tenant: LogOwner,
  date: string,
  seal: DaySeal | undefined,
): Promise<SignedDay['seal']> {
  if (seal === undefined) return undefined
  const { index, proof, note, size, root, entry } = seal
  const read = (await noteReader(tx, tenant))(sealLog, note)
  if (!read.ok || proof === undefined) throw new LogBroken(`The seal log does not contain a proof of ${date}.`)
  const reached = rootFromInclusionProof({ index, size, leafHash: leafHash(Buffer.from(entry)), proof })
  if (read.checkpoint.size !== size || !reached?.equals(read.checkpoint.root) || !root.equals(reached))
    throw new LogBroken(`The entry of ${date} does not lead to the signed root of the seal log.`)
  return { tlogProof: formatTlogProof({ index, proof, checkpoint: note }), verifierKey: read.verifierKey }
}
