import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { type Alarm, type AlarmKind, alarmKinds } from '#lib/schemas/alarms.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { brokenLogAction } from './actions.ts'
import { closingProof, rowMac } from './keyed.ts'
import { type AlarmRow, listStoredAlarms, type StoredAlarm } from './store.ts'

/** The number of alarms that one statement reads. */
const batch = 200

const Actor = z.object({ type: z.string(), id: z.string(), name: z.string() })
const Raised = z.object({
  action: z.string(),
  at: z.iso.datetime(),
  reason: z.string().default(''),
  resource: z.object({ id: z.string() }),
  details: z.object({ kind: z.enum(alarmKinds), subject: z.string() }).optional(),
})
const Closing = z.object({
  at: z.iso.datetime(),
  actor: Actor,
  reason: z.string(),
  details: z.object({ proof: z.string() }),
})

/**
 * Yields the alarms of the tenant, newest first. The log decides: an alarm exists if a record raised it, and is closed if a
 * later record by the service closes it. Of the table only rows with a right keyed digest count, for times and counts, and for
 * an alarm whose record was removed from the log. So neither a deleted nor a changed row silences an alarm.
 */
export async function* readAlarms(tx: Transaction, tenantId: string, before?: string): AsyncGenerator<Alarm> {
  const cipher = await tenantCipher(tx, tenantId)
  for (let next = before; ; ) {
    const stored = await listStoredAlarms(tx, tenantId, { before: next, limit: batch })
    for (const one of stored) {
      const alarm = alarmOf(cipher, one)
      if (alarm !== undefined) yield alarm
    }
    next = stored.at(-1)?.id
    if (stored.length < batch) return
  }
}

export async function findAlarm(tx: Transaction, tenantId: string, id: string): Promise<Alarm | undefined> {
  for await (const alarm of readAlarms(tx, tenantId)) if (alarm.id === id) return alarm
  return undefined
}

/** Returns the open alarm about a subject: one that the log contains, if there is one. */
export async function findOpenAlarm(
  tx: Transaction,
  tenantId: string,
  { kind, subject }: Pick<Alarm, 'kind' | 'subject'>,
): Promise<Alarm | undefined> {
  let stored: Alarm | undefined
  for await (const alarm of readAlarms(tx, tenantId)) {
    if (alarm.status !== 'open' || alarm.kind !== kind || alarm.subject !== subject) continue
    if (alarm.inLog) return alarm
    stored ??= alarm
  }
  return stored
}

export async function hasOpenAlarm(tx: Transaction, tenantId: string): Promise<boolean> {
  for await (const { status } of readAlarms(tx, tenantId)) if (status === 'open') return true
  return false
}

/** Returns the number of open alarms by kind. */
export async function countOpenAlarms(tx: Transaction, tenantId: string): Promise<Map<AlarmKind, number>> {
  const counts = new Map<AlarmKind, number>()
  for await (const { status, kind } of readAlarms(tx, tenantId))
    if (status === 'open') counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

function alarmOf(cipher: TenantCipher, { id, raised, closings, row }: StoredAlarm): Alarm | undefined {
  const seen = row !== null && isOurs(cipher, row) ? row : undefined
  const what = raised === null ? undefined : whatOf(raised)
  const from = what ?? (seen && { kind: seen.kind as AlarmKind, subject: seen.subject, reason: seen.reason })
  if (from === undefined || (what === undefined && seen?.count === 0)) return undefined
  const firstSeenAt = what?.at ?? seen?.firstSeenAt.toISOString() ?? ''
  const closed = closings.flatMap((record) => {
    const read = Closing.safeParse(record)
    return read.success && same(read.data.details.proof, closingProof(cipher, id)) ? [read.data] : []
  })[0]
  return {
    id,
    kind: from.kind,
    subject: from.subject,
    reason: seen?.reason ?? from.reason,
    status: closed === undefined ? 'open' : 'closed',
    firstSeenAt,
    lastSeenAt: seen?.lastSeenAt.toISOString() ?? firstSeenAt,
    count: Math.max(1, seen?.count ?? 1),
    inLog: what !== undefined,
    closedAt: closed?.at ?? null,
    closedBy: closed?.actor ?? null,
    closeReason: closed?.reason ?? null,
  }
}

/** Undefined for a record that was altered beyond recognition. */
function whatOf(record: unknown): (Pick<Alarm, 'kind' | 'subject' | 'reason'> & { at: string }) | undefined {
  const read = Raised.safeParse(record)
  if (!read.success) return undefined
  const { action, at, reason, resource, details } = read.data
  if (details !== undefined) return { ...details, reason, at }
  if (action !== brokenLogAction) return undefined
  return { kind: resource.id === 'seals' ? 'seal_log' : 'log', subject: resource.id, reason, at }
}

const isOurs = (cipher: TenantCipher, { mac, ...row }: AlarmRow): boolean =>
  alarmKinds.some((kind) => kind === row.kind) && same(mac, rowMac(cipher, row))

function same(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
