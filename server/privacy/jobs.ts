import { raiseAlarm } from '#server/audit/alarms/raise-alarm.ts'
import { settleArchives } from '#server/evidence/erasures/settle-archives.ts'
import { eraseFiles } from '#server/files/erase.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { removing } from '#server/kernel/content/removing.ts'
import { finderOf } from '#server/kernel/content/subject.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { decryptForTenant } from '#server/kernel/keys/tenant-keys.ts'
import type { JobHandler } from '#server/kernel/queue.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { eraseFrom } from '#server/traces/retention/erase.ts'
import { findEnded, findTracesOf } from './content-store.ts'
import { erasables } from './erasable-store.ts'
import { eraseContent } from './erase-content.ts'
import { erasureContext, erasureQueue } from './erasure-queue.ts'
import { addErased, type Counts, findErasure, type Left, setErasureCompleted, setWaiting } from './store.ts'

/** The interval at which an erasure checks whether content in progress has ended. */
const waitSeconds = 60

/**
 * Erases the subject from all content, some rows at a time. Each transaction also writes the audit record of its erasures.
 * Content in progress or open is not erased: the erasure stays pending and is repeated after it has ended. Content on hold, and
 * values that can't be decrypted, are counted, and don't keep the erasure from finishing. A repetition after a crash doesn't
 * find content that is already erased.
 */
export const erasures: JobHandler = {
  queue: erasureQueue,
  concurrency: 1,
  async run({ tenantId, id }) {
    const { database } = runtime()
    const erasure = await database.inTenant(tenantId, async (tx) => {
      const row = await findErasure(tx, tenantId, id)
      if (row?.status !== 'pending' || row.subject === null) return undefined
      const subject = (await decryptForTenant(tx, tenantId, row.subject, erasureContext(id))).toString()
      const ended = row.waitsFor === null ? undefined : await findEnded(tx, tenantId, row.waitsFor)
      return { subject, waitsFor: row.waitsFor ?? [], ended }
    })
    if (erasure === undefined) return
    const { subject, ended } = erasure
    const left = await pass({ tenantId, id, subject, owners: ended })
    const waitsFor = [
      ...new Set([...erasure.waitsFor.filter((one) => ended?.includes(one) !== true), ...left.waitsFor]),
    ]
    for (const subject of left.unreadable)
      await raiseAlarm(tenantId, { kind: 'object', subject, reason: 'A stored value can’t be decrypted.' })
    // A repetition for content that has ended finds the same ones again.
    const unreadable = ended === undefined ? left.unreadable.size : 0
    // An archive that is being made may contain what was erased a moment ago.
    const settled = waitsFor.length > 0 || (await settleArchives(tenantId, id, subject))
    await database.inTenant(tenantId, async (tx) => {
      if (waitsFor.length > 0 || !settled) {
        await setWaiting(tx, tenantId, id, waitsFor, { ...left.held, unreadable })
        await runtime().queue.enqueue(tx, erasureQueue, { tenantId, id }, { seconds: waitSeconds })
      } else await complete(tx, tenantId, id, { ...left.held, unreadable })
    })
  },
}

type Pass = { tenantId: string; id: string; subject: string; owners: string[] | undefined }

/** Erases from all content, or only from that of `owners`. */
async function pass({ tenantId, id, subject, owners }: Pass) {
  const { database } = runtime()
  const left = { held: { spans: 0, records: 0 }, unreadable: new Set<string>(), waitsFor: new Set<string>() }
  if (owners?.length === 0) return left
  const traceIds = owners && (await database.inTenant(tenantId, (tx) => findTracesOf(tx, tenantId, owners)))
  for (let after: string | undefined = ''; after !== undefined; ) {
    const from: string = after
    const lot = await removing(tenantId, async (tx) => {
      const done = await eraseFrom(tx, tenantId, subject, { erasureId: id, after: from, traceIds })
      await note(tx, tenantId, id, 'spans', { ...done, records: 0 })
      return done
    })
    left.held.spans += lot.held
    for (const one of lot.unreadable) left.unreadable.add(one)
    after = lot.next
  }
  const holds = finderOf(subject)
  for (const erasable of erasables) {
    let after: string[] | undefined
    do {
      const from: string[] | undefined = after
      const lot = await removing(tenantId, async (tx) => {
        const done = await eraseContent(tx, tenantId, erasable, { holds, erasureId: id, after: from, owners })
        await note(tx, tenantId, id, erasable.table, { spans: 0, values: done.texts, records: done.records })
        return done
      })
      left.held.records += lot.held
      for (const one of lot.unreadable) left.unreadable.add(one)
      for (const one of lot.waitsFor) left.waitsFor.add(one)
      after = lot.next
    } while (after !== undefined)
  }
  const files = await eraseFiles(tenantId, { holds, erasureId: id, owners }, (tx) =>
    note(tx, tenantId, id, 'files', { spans: 0, values: 1, records: 1 }),
  )
  left.held.records += files.held
  for (const one of files.unreadable) left.unreadable.add(one)
  for (const one of files.waitsFor) left.waitsFor.add(one)
  return left
}

/** Records the erasures of one transaction in the erasure's row and in the audit log. */
async function note(tx: Transaction, tenantId: string, id: string, table: string, counts: Counts): Promise<void> {
  if (counts.values === 0) return
  await addErased(tx, tenantId, id, counts)
  await appendAudit(tx, await tenantById(tx, tenantId), {
    actor: systemActor,
    action: 'erasure.applied',
    resource: { type: 'erasure', id },
    details: { table, rows: counts.spans + counts.records, values: counts.values },
  })
}

async function complete(tx: Transaction, tenantId: string, id: string, left: Left): Promise<void> {
  const completed = await setErasureCompleted(tx, tenantId, id, left)
  if (completed === undefined) return
  await appendAudit(tx, await tenantById(tx, tenantId), {
    actor: systemActor,
    action: 'erasure.completed',
    resource: { type: 'erasure', id },
    details: completed,
  })
}
