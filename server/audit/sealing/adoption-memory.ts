import type { LogOwner } from '#server/audit/store.ts'
import type { AdoptionEnd } from '#server/kernel/bound/adoption-end.ts'
import type { AdoptionMemory, Recalled } from '#server/kernel/bound/adoption-memory.ts'
import { adoptionEndedAction } from '#server/kernel/bound/adoption-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { alone } from './alone.ts'
import { LogRefused } from './log-refused.ts'
import { readEarlierHeads } from './memory/earlier-heads.ts'
import { openMemory } from './memory/open-memory.ts'
import { keepMemory, readMemory } from './memory/signer-memory.ts'
import { hasSignedHeads } from './seal-store.ts'
import { listRecordsOfType, lockSigner } from './signer-store.ts'
import { whyNotOurs } from './unkeyed-records.ts'

/**
 * The end of a tenant's adoption in the signer's memory: with SQL alone, no one can make a worker believe that the tenant's
 * rows were never bound, and bind changed ones.
 */
export const adoptionMemory: AdoptionMemory = {
  async recall(tx, tenantId) {
    if (!runtime().config.roles.has('worker')) return 'no memory'
    try {
      return await recalled(tx, tenantId)
    } catch (error) {
      if (error instanceof LogRefused) return 'unreadable'
      throw error
    }
  },

  async remember(tenantId, end) {
    let remembered = false
    try {
      await alone(tenantId, async (tx) => {
        remembered = await remember(tx, await tenantById(tx, tenantId), end)
      })
    } catch (error) {
      if (!(error instanceof LogRefused)) throw error
      runtime().log.warn({ tenantId, reason: error.message }, 'the end of the adoption can’t be remembered yet')
      return false
    }
    return remembered
  },
}

async function recalled(tx: Transaction, tenantId: string): Promise<Recalled> {
  const stored = await readMemory(tx, { id: tenantId })
  if (stored !== undefined) return stored.memory.adopted === null ? 'open' : 'ended'
  // Versions before the memory kept heads only. A tenant that was never signed does not have any.
  const explained = (await readEarlierHeads(tenantId)).size > 0 || !(await hasSignedHeads(tx, tenantId))
  return explained ? 'open' : 'unreadable'
}

async function remember(tx: Transaction, tenant: LogOwner, ended: AdoptionEnd | undefined): Promise<boolean> {
  await lockSigner(tx, tenant.id)
  const opened = await openMemory(tx, tenant)
  if (opened.memory.adopted !== null) return true
  const end = ended ?? (await loggedEnd(tx, tenant))
  if (end === undefined) return false
  await keepMemory(tx, opened, { adopted: { auditId: end.auditId, endedAt: end.endedAt.toISOString() } })
  return true
}

/** The end as a process of this installation has written it to the log: an inserted record does not have a right mac. */
async function loggedEnd(tx: Transaction, tenant: LogOwner): Promise<AdoptionEnd | undefined> {
  for (const row of await listRecordsOfType(tx, tenant.id, adoptionEndedAction))
    if ((await whyNotOurs(tx, tenant, row)) === undefined) return { auditId: row.auditId, endedAt: row.createdAt }
  return undefined
}
