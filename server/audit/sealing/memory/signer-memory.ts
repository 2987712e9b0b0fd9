import { z } from 'zod'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'
import type { LogOwner } from '#server/audit/store.ts'
import { emptyRoot } from '#server/audit/tree/merkle.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { currentSigningKey } from '#server/kernel/keys/signing-keys.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { MemoryRefused } from '../log-refused.ts'
import { memoryStore } from './configured-store.ts'

const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)
const Head = z.strictObject({ size: z.int().min(0), root: z.string().regex(/^[0-9a-f]{64}$/) })

/** The first `size` leaves of a log, as they were signed. `root` is in hex. */
export type SignedHead = z.infer<typeof Head>

/**
 * What the signer of a tenant remembers outside the database, so that no statement of SQL can make it sign a second root, a
 * sealed day, or a record that no process of this installation wrote.
 */
const Memory = z.strictObject({
  v: z.literal(2),
  tenant: z.string(),
  /** The number of this version of the memory. */
  counter: z.int().min(1),
  /** The seal log as it was signed last. */
  seals: Head,
  /** The last day that the seal log contains. It and all days before it are never signed again. */
  sealedThrough: date.nullable(),
  /** The signed heads of days that the seal log does not contain yet. */
  days: z.record(date, Head),
  /** The first position from which every record has a mac. Null until no older process writes records. */
  keyedFrom: z.strictObject({ date, seq: z.int().min(0) }).nullable(),
  /** The record that ended the adoption of the tenant's rows (decision 0036), and its time. Null while it is open. */
  adopted: z.strictObject({ auditId: z.string(), endedAt: z.iso.datetime() }).nullable(),
  /** Logs that a check found to differ from what was signed, with the reason. */
  broken: z.record(z.string(), z.string()),
})

export type SignerMemory = z.infer<typeof Memory>

/** A memory with the version that the store needs to replace it; undefined before the first one is written. */
export type OpenMemory = { memory: SignerMemory; version: string | undefined }

const Signed = Memory.extend({ mac: z.base64() })
const purpose = 'signer.memory'

export const newMemory = (tenantId: string): SignerMemory => ({
  v: 2,
  tenant: tenantId,
  counter: 1,
  seals: { size: 0, root: emptyRoot.toString('hex') },
  sealedThrough: null,
  days: {},
  keyedFrom: null,
  adopted: null,
  broken: {},
})

/**
 * The name of a tenant's object in the store. After a restore it is another one, so that what the signer remembered under the
 * earlier name of the log, which may be newer than the backup, is never replaced. The name is authentic: with SQL alone, no one can
 * make the signer read another memory.
 */
export async function memoryName(tx: Transaction, tenantId: string): Promise<string> {
  const { logName } = await currentSigningKey(tx, tenantId, 'log')
  return logName === undefined ? tenantId : `${tenantId}.${logName}`
}

/** Undefined if none is stored. Throws MemoryRefused if it was damaged, or is not that of this tenant: nothing may be signed then. */
export async function readMemory(tx: Transaction, tenant: Pick<LogOwner, 'id'>): Promise<OpenMemory | undefined> {
  const name = await memoryName(tx, tenant.id)
  const stored = await memoryStore().read(name).catch(unavailable('read'))
  return stored && { memory: await readMemoryText(tx, tenant.id, stored.text), version: stored.version }
}

/** Throws MemoryRefused if the text was damaged, or is not that of this tenant. */
export async function readMemoryText(tx: Transaction, tenantId: string, text: string): Promise<SignerMemory> {
  const memory = parse(await tenantCipher(tx, tenantId), tenantId, text)
  if (memory === undefined)
    throw new MemoryRefused('The signer’s memory was damaged, or is not that of this tenant and its key.')
  return memory
}

/** The store of the memory did not read or write it, such as a disk that is full: nothing is signed until it does. */
export class MemoryUnavailable extends Error {
  override readonly name = 'MemoryUnavailable'
}

const unavailable = (done: 'read' | 'written') => (cause: Error & { code?: string }) => {
  throw new MemoryUnavailable(`The signer’s memory could not be ${done} (${cause.code ?? cause.name}).`, { cause })
}

/** Another signer has written since this memory was read. */
export class MemoryMoved extends Error {
  override readonly name = 'MemoryMoved'
}

/** Stores what `change` makes of the memory, durably before it returns. Throws MemoryMoved. */
export async function keepMemory(
  tx: Transaction,
  { memory, version }: OpenMemory,
  change: Partial<Omit<SignerMemory, 'v' | 'tenant' | 'counter'>>,
): Promise<void> {
  const cipher = await tenantCipher(tx, memory.tenant)
  const counter = version === undefined ? 1 : memory.counter + 1
  const next: JsonObject = { ...memory, ...change, counter }
  const mac = cipher.mac(purpose, canonicalJson(next)).toString('base64')
  const text = `${JSON.stringify({ ...next, mac })}\n`
  const name = await memoryName(tx, memory.tenant)
  if (!(await memoryStore().write(name, text, version).catch(unavailable('written'))))
    throw new MemoryMoved('Another signer has changed the signer’s memory.')
}

function parse(cipher: TenantCipher, tenantId: string, text: string): SignerMemory | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const read = Signed.safeParse(value)
  if (!read.success || read.data.tenant !== tenantId) return undefined
  const { mac, ...memory } = read.data
  const right = cipher.checkMac(purpose, canonicalJson(memory satisfies JsonObject), Buffer.from(mac, 'base64'))
  return right ? memory : undefined
}
