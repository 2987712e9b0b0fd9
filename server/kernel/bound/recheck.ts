import type { Transaction } from '#server/kernel/db/transaction.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { adoptionEnded, whyAdoptionTampered } from './adopted.ts'
import { whyTampered } from './check.ts'
import { reportTampered, type Tampered } from './integrity-failed.ts'
import { listLoggedDays, listUnlike } from './log-store.ts'
import { type Compared, readRowsAfter, readStatesAfter } from './store.ts'
import { boundTypes } from './types.ts'

const batch = 500
/** Records whose states are compared in one statement. */
const recordsAtATime = 2000

/**
 * Compares all of a tenant's rows with their states, and the states with the log; reports each object that differs, and
 * returns them; undefined while the tenant’s rows are not all bound. Reads in batches, each in a transaction of its own, until `stopped` returns true.
 */
export async function recheckRows(
  tenantId: string,
  stopped: () => boolean = () => false,
): Promise<Tampered[] | undefined> {
  const { database } = runtime()
  const inTenant = <T>(work: (tx: Transaction) => Promise<T>) => database.inTenant(tenantId, work)
  const found: Tampered[] = []
  const report = async (type: string, id: string, reason: string) => {
    const tampered = { tenantId, type, id, reason }
    found.push(tampered)
    await reportTampered(tampered)
  }
  if (!(await inTenant((tx) => adoptionEnded(tx, tenantId)))) return undefined
  const adoption = await inTenant((tx) => whyAdoptionTampered(tx, tenantId))
  if (adoption !== undefined) await report('tenant', tenantId, adoption)
  const cipher = await inTenant((tx) => tenantCipher(tx, tenantId))
  for (const bound of boundTypes)
    for (const read of [
      (tx: Transaction, after: string | undefined) => readRowsAfter(tx, bound, after, { limit: batch, lock: false }),
      (tx: Transaction, after: string | undefined) => readStatesAfter(tx, bound, after ?? '', batch),
    ]) {
      let objects: Compared[] = []
      do {
        const after = objects.at(-1)?.id
        objects = await inTenant((tx) => read(tx, after))
        for (const one of objects) {
          const reason = whyTampered(cipher, bound, one)
          if (reason !== undefined && !found.some(({ type, id }) => type === bound.type && id === one.id))
            await report(bound.type, one.id, reason)
        }
      } while (objects.length > 0 && !stopped())
    }
  for (const { date, size } of await inTenant((tx) => listLoggedDays(tx, tenantId)))
    for (let from = 0; from < size && !stopped(); from += recordsAtATime)
      for (const { type, id, revision } of await inTenant((tx) =>
        listUnlike(tx, tenantId, { date, from, to: from + recordsAtATime }),
      ))
        if (!found.some((one) => one.type === type && one.id === id))
          await report(
            type,
            id,
            `The log contains revision ${revision} of it, and its stored state is another or an older one.`,
          )
  return found
}
