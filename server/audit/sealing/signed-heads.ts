import { noteReader } from '#server/audit/notes/checkpoint-note.ts'
import { findLastSigned, type LogOwner } from '#server/audit/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { sealLog } from './log-name.ts'
import { LogRefused } from './log-refused.ts'
import { sealedThrough } from './memory/open-memory.ts'
import { newMemory, type SignedHead } from './memory/signer-memory.ts'
import { findLatestSealCheckpoint } from './seal-store.ts'
import { listDates } from './signer-store.ts'

export type SignedHeads = { seals: SignedHead; sealedThrough: string | null; days: Record<string, SignedHead> }

/** The signed heads in the database. Throws LogRefused if one does not have the signature of the tenant's log key. */
export async function signedHeads(tx: Transaction, tenant: LogOwner): Promise<SignedHeads> {
  const seals = await signedSeals(tx, tenant)
  const through = await sealedThrough(tx, tenant, seals)
  const days: Record<string, SignedHead> = {}
  for (const { date, signed } of await listDates(tx, tenant.id))
    if (signed && (through === null || date > through)) days[date] = await signedDayHead(tx, tenant, date)
  return { seals, sealedThrough: through, days }
}

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
