import type { Database } from '#server/kernel/db/database.ts'
import type { Transaction } from '#server/kernel/db/transaction.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { findAdoption, isAdoptionLogged } from './adoption-store.ts'

// Owned by this module: tenants whose adoption this process has seen ended. It never begins again.
const ended = new WeakMap<Database, Set<string>>()

/**
 * Whether all of the tenant's rows from before this version are bound: from then on an unbound row, or one that differs from
 * its state, is tampering. Before that, a process of an older version may have written it. Any trace of the end counts, so
 * that deleting one of them does not switch the checks off.
 */
export async function adoptionEnded(tx: Transaction, tenantId: string): Promise<boolean> {
  const known = endedOf()
  if (known.has(tenantId)) return true
  const [row, logged] = await Promise.all([findAdoption(tx, tenantId), isAdoptionLogged(tx, tenantId)])
  if (row === undefined && !logged && !signerKnowsAdoption(tenantId)) return false
  known.add(tenantId)
  return true
}

/**
 * Why the tenant's adoption row is not the one that this installation wrote; undefined if it is, and while the adoption has
 * not ended.
 */
export async function whyAdoptionTampered(tx: Transaction, tenantId: string): Promise<string | undefined> {
  if (!(await adoptionEnded(tx, tenantId))) return undefined
  const row = await findAdoption(tx, tenantId)
  if (row === undefined) return 'The row that marks the end of the adoption was deleted.'
  const right = (await tenantCipher(tx, tenantId)).checkMac(adoptionPurpose, adoptionText(row), row.mac)
  return right ? undefined : 'The row that marks the end of the adoption was changed.'
}

const adoptionPurpose = 'bound.adoption'
const adoptionText = ({ auditId, endedAt }: { auditId: string; endedAt: Date }): string =>
  JSON.stringify([auditId, endedAt.toISOString()])

export const adoptionMac = (cipher: TenantCipher, row: { auditId: string; endedAt: Date }): Buffer =>
  cipher.mac(adoptionPurpose, adoptionText(row))

type SignerMemory = (tenantId: string) => boolean

// Owned by this module: set when the process starts, if it has a memory outside the database.
let memory: SignerMemory = () => false

/** Connects the memory of the signer: whether it has seen the tenant's adoption end. */
export function askSignerAboutAdoption(one: SignerMemory): void {
  memory = one
}

const signerKnowsAdoption = (tenantId: string): boolean => memory(tenantId)

function endedOf(): Set<string> {
  const { database } = runtime()
  const known = ended.get(database) ?? new Set()
  ended.set(database, known)
  return known
}
