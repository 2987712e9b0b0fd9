import { z } from 'zod'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'
import type { AdoptionEnd } from '#server/kernel/bound/adoption-end.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { MemoryRefused } from '../log-refused.ts'
import { memoryStore } from './configured-store.ts'
import { MemoryMoved, memoryName } from './signer-memory.ts'

// An object next to the signer's memory, because a process of the version before refuses a memory with members that it does not know.

const Adopted = z.strictObject({
  v: z.literal(1),
  tenant: z.string(),
  /** The types whose rows were bound by the end that the record states. */
  types: z.array(z.string()),
  auditId: z.string(),
  endedAt: z.iso.datetime(),
})
const Signed = Adopted.extend({ mac: z.base64() })
const purpose = 'signer.adopted_types'
const nameOf = async (tx: Transaction, tenantId: string): Promise<string> => `${await memoryName(tx, tenantId)}.adopted`

/** The types of later versions whose adoption has ended. Throws MemoryRefused if the object was damaged. */
export async function readAdoptedTypes(tx: Transaction, tenantId: string): Promise<readonly string[]> {
  return (await read(tx, tenantId)).types
}

/** Writes the end durably. Throws MemoryMoved if another process has written in the meantime. */
export async function keepAdoptedTypes(
  tx: Transaction,
  tenantId: string,
  types: readonly string[],
  { auditId, endedAt }: AdoptionEnd,
): Promise<void> {
  const { version } = await read(tx, tenantId)
  const next: JsonObject = { v: 1, tenant: tenantId, types: [...types], auditId, endedAt: endedAt.toISOString() }
  const mac = (await tenantCipher(tx, tenantId)).mac(purpose, canonicalJson(next)).toString('base64')
  if (!(await memoryStore().write(await nameOf(tx, tenantId), `${JSON.stringify({ ...next, mac })}\n`, version)))
    throw new MemoryMoved('Another process has remembered the end of an adoption.')
}

/** Stores a text from a backup for a log that continues under a new name. Throws MemoryRefused if it was damaged. */
export async function copyAdoptedTypes(tx: Transaction, tenantId: string, text: string): Promise<void> {
  await readText(tx, tenantId, text)
  if (!(await memoryStore().write(await nameOf(tx, tenantId), text, undefined)))
    throw new MemoryMoved('Another process has remembered the end of an adoption.')
}

async function read(tx: Transaction, tenantId: string): Promise<{ types: string[]; version: string | undefined }> {
  const stored = await memoryStore().read(await nameOf(tx, tenantId))
  if (stored === undefined) return { types: [], version: undefined }
  return { types: await readText(tx, tenantId, stored.text), version: stored.version }
}

async function readText(tx: Transaction, tenantId: string, stored: string): Promise<string[]> {
  const parsed = Signed.safeParse(jsonOf(stored))
  if (parsed.success && parsed.data.tenant === tenantId) {
    const { mac, ...adopted } = parsed.data
    const text = canonicalJson(adopted satisfies JsonObject)
    if ((await tenantCipher(tx, tenantId)).checkMac(purpose, text, Buffer.from(mac, 'base64'))) return adopted.types
  }
  throw new MemoryRefused(
    'What the signer remembers of adopted types was damaged, or is not that of this tenant and its key.',
  )
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
