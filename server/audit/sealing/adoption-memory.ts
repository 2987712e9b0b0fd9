import { isJsonObject, type JsonValue } from '#lib/json.ts'
import type { LogOwner } from '#server/audit/store.ts'
import type { AdoptionEnd } from '#server/kernel/bound/adoption-end.ts'
import type { AdoptionMemory, Recalled } from '#server/kernel/bound/adoption-memory.ts'
import { adoptionEndedAction, laterAdoptionEndedAction } from '#server/kernel/bound/adoption-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { olderProcesses } from '#server/kernel/db/older-processes.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { alone } from './alone.ts'
import { LogRefused } from './log-refused.ts'
import { keepAdoptedTypes, readAdoptedTypes } from './memory/adopted-types.ts'
import { readEarlierHeads } from './memory/earlier-heads.ts'
import { openMemory } from './memory/open-memory.ts'
import { keepMemory, MemoryMoved, readMemory } from './memory/signer-memory.ts'
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

  async recallTypes(tx, tenantId, types) {
    const recalled = await this.recall(tx, tenantId)
    if (recalled === 'no memory' || recalled === 'unreadable') return recalled
    try {
      return includes(await readAdoptedTypes(tx, tenantId), types) ? 'ended' : 'open'
    } catch (error) {
      if (error instanceof LogRefused) return 'unreadable'
      throw error
    }
  },

  async rememberTypes(tenantId, types) {
    try {
      return await runtime().database.inTenant(tenantId, (tx) => rememberTypes(tx, tenantId, types))
    } catch (error) {
      // Another process has written the same end.
      if (error instanceof MemoryMoved) return false
      if (!(error instanceof LogRefused)) throw error
      runtime().log.warn({ tenantId, reason: error.message }, 'the end of the adoption can’t be remembered yet')
      return false
    }
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
  // Heads of an older version are taken over only after it has gone.
  const opened = (await olderProcesses(tx)) ? await readMemory(tx, tenant) : await openMemory(tx, tenant)
  if (opened === undefined) return false
  if (opened.memory.adopted !== null) return true
  const end = ended ?? (await loggedEnd(tx, tenant))
  if (end === undefined) return false
  await keepMemory(tx, opened, { adopted: { auditId: end.auditId, endedAt: end.endedAt.toISOString() } })
  return true
}

/** The end as a process of this installation has written it to the log: an inserted record does not have a right mac. */
async function loggedEnd(
  tx: Transaction,
  tenant: LogOwner,
  types: readonly string[] = [],
): Promise<AdoptionEnd | undefined> {
  for (const action of types.length === 0 ? [adoptionEndedAction] : [adoptionEndedAction, laterAdoptionEndedAction])
    for (const row of await listRecordsOfType(tx, tenant.id, action))
      if (includes(typesIn(row.record), types) && (await whyNotOurs(tx, tenant, row)) === undefined)
        return { auditId: row.auditId, endedAt: row.createdAt }
  return undefined
}

async function rememberTypes(tx: Transaction, tenantId: string, types: readonly string[]): Promise<boolean> {
  if (includes(await readAdoptedTypes(tx, tenantId), types)) return true
  const end = await loggedEnd(tx, await tenantById(tx, tenantId), types)
  if (end === undefined) return false
  await keepAdoptedTypes(tx, tenantId, types, end)
  return true
}

const includes = (known: readonly unknown[], types: readonly string[]): boolean =>
  types.every((type) => known.includes(type))

/** The types of later versions that a record of an end names; the records of earlier versions name none. */
function typesIn(record: JsonValue): readonly JsonValue[] {
  const details = isJsonObject(record) ? record.details : undefined
  const types = details !== undefined && isJsonObject(details) ? details.types : undefined
  return Array.isArray(types) ? types : []
}
