import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { LogRefused } from './log-refused.ts'
import type { SignerMemory } from './memory/signer-memory.ts'
import { sealDates } from './sign-period.ts'
import { lockSigner } from './signer-store.ts'
import { knownMemory } from './why-contradicted.ts'

/**
 * What the signer remembers, read before a snapshot whose open days are compared with it. Undefined if this process does not have
 * the memory. Closes what a signer that died has left half done. Throws LogRefused and SigningWaits.
 */
export async function memoryBeforeSnapshot(tenantId: string): Promise<SignerMemory | undefined> {
  const { database } = runtime()
  await sealDates(await database.inTenant(tenantId, (tx) => tenantById(tx, tenantId)))
  return await lockedMemory(tenantId)
}

/**
 * Throws LogRefused if the open days of the snapshot, by their rows, are not those that the signer remembers: fewer records of a
 * day than it signed before, or a day that it has closed or does not find. They are the border of what an archive's rows know.
 */
export async function requireRememberedDays(
  tenantId: string,
  open: readonly { date: string; size: number }[],
  before: SignerMemory | undefined,
): Promise<void> {
  if (before === undefined) return
  const sizes = new Map(open.map(({ date, size }) => [date, size]))
  for (const { date } of open)
    if (before.sealedThrough !== null && date <= before.sealedThrough)
      throw new LogRefused(`${date} was sealed, but its row states that it is open.`)
  let after: SignerMemory | undefined
  for (const [date, head] of Object.entries(before.days)) {
    const size = sizes.get(date)
    if (size !== undefined && size < head.size)
      throw new LogRefused(`${date} has ${size} records; the signer remembers ${head.size}.`)
    if (size !== undefined) continue
    // It may have been closed since the memory was read. A signer closes a day and adds it to the seal log in two transactions: what it
    // has only closed is added here, or refused if it was not closed by a signer.
    after ??= await memoryBeforeSnapshot(tenantId)
    if (after?.sealedThrough == null || date > after.sealedThrough)
      throw new LogRefused(`The signer remembers records of ${date}, which its row does not state to be open.`)
  }
}

/** A signer that is between the memory and its commit would look like a day that is both open and closed. */
const lockedMemory = (tenantId: string): Promise<SignerMemory | undefined> =>
  runtime().database.inTenant(tenantId, async (tx) => {
    await lockSigner(tx, tenantId)
    return (await knownMemory(tx, { id: tenantId }))?.memory
  })
