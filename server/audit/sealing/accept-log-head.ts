import { noteReader } from '#server/audit/notes/checkpoint-note.ts'
import { findLastSigned, type LogOwner } from '#server/audit/store.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { sealLog } from './log-name.ts'
import { LogRefused } from './log-refused.ts'
import { memoryStore } from './memory/configured-store.ts'
import { forgetEarlierHeads } from './memory/earlier-heads.ts'
import { sealedThrough } from './memory/open-memory.ts'
import {
  keepMemory,
  newMemory,
  type OpenMemory,
  readMemory,
  type SignedHead,
  type SignerMemory,
} from './memory/signer-memory.ts'
import { findLatestSealCheckpoint } from './seal-store.ts'
import { countUnkeyed, listDates, lockSigner } from './signer-store.ts'

export type AcceptedHead = {
  seals: SignedHead
  sealedThrough: string | null
  days: Record<string, SignedHead>
  unkeyed: number
}

/**
 * Makes the signed heads of the database the signer's memory, on the record, because the memory was lost or is older. From
 * then on the log continues them. Nothing that the memory would have refused can be told apart any more. Throws LogRefused
 * if a stored head does not have the signature of the tenant's log key.
 */
export async function acceptLogHead(tx: Transaction, tenant: LogOwner): Promise<AcceptedHead> {
  await lockSigner(tx, tenant.id)
  const before = await openAnyway(tx, tenant)
  const seals = await signedSeals(tx, tenant)
  const through = await sealedThrough(tx, tenant, seals)
  const days: Record<string, SignedHead> = {}
  for (const { date, signed } of await listDates(tx, tenant.id))
    if (signed && (through === null || date > through)) days[date] = await signedDayHead(tx, tenant, date)
  const unkeyed = await countUnkeyed(tx, tenant.id)
  await appendAudit(tx, tenant, {
    actor: systemActor,
    action: 'audit_log.head_accepted',
    resource: { type: 'audit_log', id: sealLog },
    details: {
      seals,
      sealedThrough: through,
      days,
      before: before.known ? headsOf(before.opened.memory) : null,
      unkeyed,
    },
  })
  await keepMemory(tx, before.opened, { seals, sealedThrough: through, days })
  await forgetEarlierHeads(tenant.id)
  return { seals, sealedThrough: through, days, unkeyed }
}

/** A missing or damaged memory is replaced; what else it knew is lost with it. */
async function openAnyway(tx: Transaction, tenant: LogOwner): Promise<{ opened: OpenMemory; known: boolean }> {
  try {
    const opened = await readMemory(tx, tenant)
    if (opened !== undefined) return { opened, known: true }
  } catch (error) {
    if (!(error instanceof LogRefused)) throw error
  }
  const version = (await memoryStore().read(tenant.id))?.version
  return { opened: { memory: newMemory(tenant.id), version }, known: false }
}

const headsOf = ({ seals, sealedThrough: through, days }: SignerMemory) => ({ seals, sealedThrough: through, days })

async function signedSeals(tx: Transaction, tenant: LogOwner): Promise<SignedHead> {
  const last = await findLatestSealCheckpoint(tx, tenant.id)
  if (last === undefined) return newMemory(tenant.id).seals
  const note = (await noteReader(tx, tenant))(sealLog, last.note)
  if (!note.ok) throw new LogRefused(`The checkpoint of ${last.size} sealed days: ${note.reason}`)
  return headOf(note.checkpoint)
}

async function signedDayHead(tx: Transaction, tenant: LogOwner, date: string): Promise<SignedHead> {
  const last = await findLastSigned(tx, tenant.id, date)
  if (last === undefined) throw new LogRefused(`The log of ${date} does not have a checkpoint.`)
  const note = (await noteReader(tx, tenant))(date, last.note)
  if (!note.ok) throw new LogRefused(`The checkpoint of ${last.size} records of ${date}: ${note.reason}`)
  return headOf(note.checkpoint)
}

const headOf = ({ size, root }: { size: number; root: Uint8Array }): SignedHead => ({
  size,
  root: Buffer.from(root).toString('hex'),
})
