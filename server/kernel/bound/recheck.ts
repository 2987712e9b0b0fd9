import { databaseClock } from '#server/kernel/db/clock.ts'
import type { Transaction } from '#server/kernel/db/closing.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { adoptionOf, adoptionOfType, whyAdoptionTampered } from './adopted.ts'
import { whyTampered, whyUnlike } from './check.ts'
import { reportTampered, type Tampered } from './integrity-failed.ts'
import { type LoggedDay, listLoggedDays, listObjects, listUnlike } from './log-store.ts'
import type { RestingPace } from './resting-pace.ts'
import { type Compared, readObjects, readRowsAfter, readStatesAfter } from './store.ts'
import { type BoundType, boundType, boundTypes, isBoundType } from './types.ts'

const batch = 500
/** Records whose states are compared with the stored ones in one statement. */
const recordsAtATime = 2000
/** Records whose objects are read together. One record may name 500 of them. */
const recordsOfObjects = 200

/**
 * Compares all of a tenant's rows with their states, and the states with the log; reports each object that differs, and
 * returns them; undefined while the tenant’s rows are not all bound. Reads in batches, each in a transaction of its own. With
 * `pace` it rests in between, and ends when that is stopped.
 */
export const recheckRows = (tenantId: string, pace?: RestingPace): Promise<Tampered[] | undefined> =>
  comparing(tenantId, async (comparison) => {
    for (const bound of boundTypes) {
      if (pace?.isStopped() === true) return
      if ((await comparison.inTenant((tx) => adoptionOfType(tx, tenantId, bound))) !== 'ended') continue
      await allPages(bound, comparison, pace, (tx, after) =>
        readRowsAfter(tx, bound, after, { limit: batch, lock: false }),
      )
      await allPages(bound, comparison, pace, (tx, after) => readStatesAfter(tx, bound, after ?? '', batch))
    }
    for (const day of await comparison.inTenant((tx) => listLoggedDays(tx, tenantId)))
      await compareDay(comparison, day, pace)
  })

/**
 * The same for the objects that records of today commit to, and of an earlier day that is not closed yet. Its cost depends on
 * the records of these days only.
 */
export const recheckOpenDays = (tenantId: string, pace?: RestingPace): Promise<Tampered[] | undefined> =>
  comparing(tenantId, async (comparison) => {
    const days = await comparison.inTenant((tx) => listLoggedDays(tx, tenantId))
    const today = (await comparison.inTenant(databaseClock))().toISOString().slice(0, 10)
    // That today is closed can only be written by SQL.
    for (const day of days.filter(({ closed, date }) => !closed || date >= today)) {
      await compareDay(comparison, day, pace)
      for (let from = 0; from < day.size && pace?.isStopped() !== true; from += recordsOfObjects) {
        const slice = { date: day.date, from, to: from + recordsOfObjects }
        // A type of a later version has rows that this one can't read.
        for (const [type, ids] of await comparison.inTenant((tx) => listObjects(tx, tenantId, slice)))
          for (let at = 0; isBoundType(type) && at < ids.length && pace?.isStopped() !== true; at += batch) {
            const bound = boundType(type)
            if ((await comparison.inTenant((tx) => adoptionOfType(tx, tenantId, bound))) !== 'ended') break
            const objects = await comparison.inTenant((tx) => readObjects(tx, bound, ids.slice(at, at + batch)))
            await comparison.compare(bound, objects)
          }
        await pace?.rest()
      }
    }
  })

type Comparison = {
  tenantId: string
  inTenant<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Reports each object that differs from its state. */
  compare(bound: BoundType, objects: readonly Compared[]): Promise<void>
  /** Reports an object, once. */
  report(type: string, id: string, reason: string): Promise<void>
}

async function comparing(
  tenantId: string,
  work: (comparison: Comparison) => Promise<void>,
): Promise<Tampered[] | undefined> {
  const { database } = runtime()
  const inTenant = <T>(one: (tx: Transaction) => Promise<T>) => database.inTenant(tenantId, one)
  if ((await inTenant((tx) => adoptionOf(tx, tenantId))) !== 'ended') return undefined
  const found = new Map<string, Tampered>()
  const report = async (type: string, id: string, reason: string) => {
    const key = `${type} ${id}`
    if (found.has(key)) return
    const tampered = { tenantId, type, id, reason }
    found.set(key, tampered)
    await reportTampered(tampered)
  }
  const adoption = await inTenant((tx) => whyAdoptionTampered(tx, tenantId))
  if (adoption !== undefined) await report('tenant', tenantId, adoption)
  const cipher = await inTenant((tx) => tenantCipher(tx, tenantId))
  const compare = async (bound: BoundType, objects: readonly Compared[]) => {
    for (const one of objects) {
      const reason = whyTampered(cipher, bound, one)
      if (reason !== undefined) await report(bound.type, one.id, reason)
    }
  }
  await work({ tenantId, inTenant, compare, report })
  return [...found.values()]
}

async function allPages(
  bound: BoundType,
  { inTenant, compare }: Comparison,
  pace: RestingPace | undefined,
  read: (tx: Transaction, after: string | undefined) => Promise<Compared[]>,
): Promise<void> {
  let objects: Compared[] = []
  do {
    const after = objects.at(-1)?.id
    objects = await inTenant((tx) => read(tx, after))
    await compare(bound, objects)
    if (objects.length === batch) await pace?.rest()
  } while (objects.length > 0 && pace?.isStopped() !== true)
}

/** A row that was replayed together with its state differs only from the log. */
async function compareDay(
  { tenantId, inTenant, report }: Comparison,
  { date, size }: LoggedDay,
  pace: RestingPace | undefined,
): Promise<void> {
  for (let from = 0; from < size && pace?.isStopped() !== true; from += recordsAtATime) {
    const slice = { date, from, to: from + recordsAtATime }
    for (const unlike of await inTenant((tx) => listUnlike(tx, tenantId, slice)))
      await report(unlike.type, unlike.id, whyUnlike(unlike))
    await pace?.rest()
  }
}
