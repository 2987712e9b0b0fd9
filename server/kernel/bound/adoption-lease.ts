import { databaseClock } from '#server/kernel/db/clock.ts'
import type { Transaction } from '#server/kernel/db/closing.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { findLease, setLease } from './adoption-store.ts'

// A process without the signer's memory can't tell an adoption that is still open from one whose traces were deleted. A
// worker, which has the memory, confirms for a minute at a time that it is open, with a mac. An older confirmation that was
// put back has expired.

const leaseMs = 60_000
/** What is open: the adoption of all rows, or only of those whose types a later version binds. */
export type Lease = 'all' | 'later'
const purposes: Record<Lease, string> = { all: 'bound.adoption_lease', later: 'bound.later_adoption_lease' }

/** Confirms that the tenant's adoption is open. Call it only in a process that has the signer's memory. */
export async function writeLease(tx: Transaction, tenantId: string, lease: Lease): Promise<void> {
  const validUntil = new Date((await databaseClock(tx))().getTime() + leaseMs)
  const mac = (await tenantCipher(tx, tenantId)).mac(purposes[lease], validUntil.toISOString())
  await setLease(tx, { tenantId, validUntil, mac })
}

/** Whether a worker has confirmed within the last minute that the tenant's adoption is open. */
export async function hasLease(tx: Transaction, tenantId: string, lease: Lease): Promise<boolean> {
  const row = await findLease(tx, tenantId)
  if (row === undefined) return false
  const left = row.validUntil.getTime() - (await databaseClock(tx))().getTime()
  if (left <= 0) return false
  const cipher = await tenantCipher(tx, tenantId)
  const states = (one: Lease) => cipher.checkMac(purposes[one], row.validUntil.toISOString(), row.mac)
  return states('all') || (lease === 'later' && states('later'))
}
