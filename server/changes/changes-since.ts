import type { Topic } from '#lib/rules/changes.ts'
import { type ChangeRecord, lastDays, recentRecords, recordsAfter } from '#server/audit/records-after.ts'
import { visibleExportIds } from '#server/evidence/visible-export-ids.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { findMember } from '#server/kernel/auth/store.ts'
import { lossOf } from '#server/kernel/auth/watch.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { after, dayBefore, type Position } from './position.ts'
import { type Change, changesOf, unloggedTopics } from './topics.ts'

/** A reader that is further behind than this many records is told that anything may have changed. */
const maxRecords = 500
/** A new stream begins with the changes of this time: a page reads its data while it connects. */
const overlapSeconds = 10

/** `from`: where the batch begins; a reader that gets a part of it resumes there. */
export type Batch = { from: Position; position: Position; changes: Change[] }
type Reader = Pick<Caller, 'tenant' | 'principal'> & { topics: ReadonlySet<Topic> }

/**
 * What the caller may know to have changed after `position` ('new': a stream that begins). Membership and permissions are
 * read in the same transaction; throws when the stream must end.
 */
export async function changesSince(
  tx: Transaction,
  reader: Reader,
  position: Position | 'new',
  unlogged: readonly Change[],
): Promise<Batch> {
  const { tenant, principal, topics } = reader
  const lost = lossOf(await findMember(tx, tenant.id, principal.issuer, principal.subject), principal)
  if (lost !== undefined) throw lost
  const { changes, ...places } = await logged(tx, reader, position)
  const wanted = distinct([...changes, ...unlogged]).filter(({ topic }) => topics.has(topic))
  return { ...places, changes: await visible(tx, reader, wanted) }
}

/**
 * Where a stream begins, with what can't be replayed: the unlogged topics, and all of them when the log does not reach as far
 * as the caller has been (the database was restored).
 */
export async function beginning(
  tx: Transaction,
  { tenant, topics }: Reader,
  lastSeen: Position | undefined,
): Promise<{ position: Position | 'new'; unlogged: Change[] }> {
  const unlogged = unloggedTopics.filter((topic) => topics.has(topic)).map(anything)
  if (lastSeen === undefined) return { position: 'new', unlogged }
  const head = await headOf(tx, tenant.id)
  const isAhead = lastSeen.date > head.date || (lastSeen.date === head.date && lastSeen.seen > head.seen)
  return isAhead ? { position: head, unlogged: [...topics].map(anything) } : { position: lastSeen, unlogged }
}

const anything = (topic: Topic): Change => ({ topic, id: null })

async function logged(tx: Transaction, { tenant, topics }: Reader, position: Position | 'new'): Promise<Batch> {
  if (position === 'new') {
    const head = await headOf(tx, tenant.id)
    const records = await recentRecords(tx, tenant.id, overlapSeconds, maxRecords + 1)
    const [first] = records
    if (first === undefined) return { from: head, position: head, changes: [] }
    const from = { date: first.date, seen: first.seq, before: first.date === head.date ? head.before : 0 }
    if (records.length > maxRecords) return { from, position: head, changes: [...topics].map(anything) }
    return { from, position: records.reduce(after, head), changes: records.flatMap(changesOf) }
  }
  const records: ChangeRecord[] = await recordsAfter(tx, tenant.id, position, maxRecords + 1)
  if (records.length > maxRecords)
    return { from: position, position: await headOf(tx, tenant.id), changes: [...topics].map(anything) }
  return { from: position, position: records.reduce(after, position), changes: records.flatMap(changesOf) }
}

async function headOf(tx: Transaction, tenantId: string): Promise<Position> {
  const [last, other] = await lastDays(tx, tenantId)
  if (last === undefined) return { date: '1970-01-01', seen: 0, before: 0 }
  const before = other?.date === dayBefore(last.date) ? other.size : 0
  return { date: last.date, seen: last.size, before }
}

function distinct(changes: readonly Change[]): Change[] {
  const any = new Set(changes.flatMap(({ topic, id }) => (id === null ? [topic] : [])))
  const kept = new Map<string, Change>()
  for (const change of changes)
    if (change.id === null || !any.has(change.topic)) kept.set(`${change.topic}/${change.id ?? ''}`, change)
  return [...kept.values()]
}

/** Leaves out ids of objects that the caller's own reads would not show. */
async function visible(tx: Transaction, { tenant, principal }: Reader, changes: Change[]): Promise<Change[]> {
  const exports = changes.flatMap(({ topic, id }) => (topic === 'evidence' && id !== null ? [id] : []))
  if (exports.length === 0) return changes
  const shown = await visibleExportIds(tx, tenant.id, principal, exports)
  return changes.filter(({ topic, id }) => topic !== 'evidence' || id === null || shown.has(id))
}
