import type { Topic } from '#lib/rules/changes.ts'
import { type Followed, followLog, headOfLog } from '#server/audit/follow-log.ts'
import { isAhead, type Position } from '#server/audit/position.ts'
import { visibleExportIds } from '#server/evidence/visible-export-ids.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { findMember } from '#server/kernel/auth/store.ts'
import { lossOf } from '#server/kernel/auth/watch.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { readTogether } from './read-together.ts'
import { type Change, changesOf, unloggedTopics } from './topics.ts'

/** `from`: where the batch begins; a reader that gets a part of it resumes there. */
export type Batch = { from: Position; position: Position; changes: Change[] }
type Reader = Pick<Caller, 'tenant' | 'principal'> & { topics: ReadonlySet<Topic> }

/**
 * What the caller may know to have changed after `position`; without one, during the last seconds. Membership and
 * permissions are read in the same transaction; throws when the stream must end.
 */
export async function changesSince(
  tx: Transaction,
  reader: Reader,
  position: Position | undefined,
  unlogged: readonly Change[],
): Promise<Batch> {
  const { tenant, principal } = reader
  const member = await findMember(tx, tenant.id, principal.issuer, principal.subject)
  requireMember(member, principal)
  const { wanted, ...places } = wantedOf(reader, await followLog(tx, tenant.id, position), unlogged)
  return { ...places, changes: await visible(tx, reader, wanted) }
}

/**
 * The same for a stream that has begun, together with the tenant's other streams. `takeUnlogged` is called after the read, which may have
 * waited for them.
 */
export async function nextChanges(
  reader: Reader,
  position: Position,
  takeUnlogged: () => readonly Change[],
): Promise<Batch> {
  const { tenant, principal } = reader
  const { member, followed } = await readTogether(tenant.id, { principal, position })
  requireMember(member, principal)
  const { wanted, ...places } = wantedOf(reader, followed, takeUnlogged())
  if (exportsIn(wanted).length === 0) return { ...places, changes: wanted }
  return { ...places, changes: await runtime().database.inTenant(tenant.id, (tx) => visible(tx, reader, wanted)) }
}

function requireMember(member: Awaited<ReturnType<typeof findMember>>, principal: Caller['principal']): void {
  const lost = lossOf(member, principal, member?.settings)
  if (lost !== undefined) throw lost
}

function wantedOf({ topics }: Reader, { records, ...places }: Followed, unlogged: readonly Change[]) {
  const logged = records === undefined ? [...topics].map(anything) : records.flatMap(changesOf)
  return { ...places, wanted: distinct([...logged, ...unlogged]).filter(({ topic }) => topics.has(topic)) }
}

/**
 * Where a stream begins, with what can't be replayed: the unlogged topics, and all of them when the log does not reach as far
 * as the caller has been (the database was restored).
 */
export async function beginning(
  tx: Transaction,
  { tenant, topics }: Reader,
  lastSeen: Position | undefined,
): Promise<{ position: Position | undefined; unlogged: Change[] }> {
  const unlogged = unloggedTopics.filter((topic) => topics.has(topic)).map(anything)
  if (lastSeen === undefined) return { position: undefined, unlogged }
  const head = await headOfLog(tx, tenant.id)
  if (isAhead(lastSeen, head)) return { position: head, unlogged: [...topics].map(anything) }
  return { position: lastSeen, unlogged }
}

const anything = (topic: Topic): Change => ({ topic, id: null })

function distinct(changes: readonly Change[]): Change[] {
  const any = new Set(changes.flatMap(({ topic, id }) => (id === null ? [topic] : [])))
  const kept = new Map<string, Change>()
  for (const change of changes)
    if (change.id === null || !any.has(change.topic)) kept.set(`${change.topic}/${change.id ?? ''}`, change)
  return [...kept.values()]
}

/** Leaves out ids of objects that the caller's own reads would not show. */
async function visible(tx: Transaction, { tenant, principal }: Reader, changes: Change[]): Promise<Change[]> {
  const exports = exportsIn(changes)
  if (exports.length === 0) return changes
  const shown = await visibleExportIds(tx, tenant.id, principal, exports)
  return changes.filter(({ topic, id }) => topic !== 'evidence' || id === null || shown.has(id))
}

const exportsIn = (changes: readonly Change[]): string[] =>
  changes.flatMap(({ topic, id }) => (topic === 'evidence' && id !== null ? [id] : []))
