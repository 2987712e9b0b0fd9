import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/closing.ts'
import { newId } from '#server/kernel/ids.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { adoptionOf, adoptionOfType, isLaterBound } from './adopted.ts'
import { type AdoptionEnd, adoptionMac } from './adoption-end.ts'
import { recallAdoption, recallLaterAdoption, rememberAdoption, rememberLaterAdoption } from './adoption-memory.ts'
import {
  adoptionEndedAction,
  findExternalId,
  insertAdoption,
  laterAdoptionEndedAction,
  lockAdoption,
} from './adoption-store.ts'
import { changeToAdopt, recordChanges } from './bind.ts'
import { type Compared, readRowsAfter, readStatesAfter } from './store.ts'
import { type BoundType, boundTypes, form, laterTypes } from './types.ts'

/** Rows of one transaction, and states of one record. */
const batch = 500
/** A row that a transaction changed in the meantime is left for the next round. */
const mostRounds = 5

/** Another process adopts the tenant's rows. */
class Busy extends Error {}

/**
 * Binds all rows of a tenant that no version before this one bound, in batches, and writes the end to the log: from then on a
 * row that differs from its state is tampering. The signer's memory gets the end too. Call it only while no process of an older
 * version can write. Returns false if it has to be called again: another process does the same, rows were being changed, the
 * memory can't be read or written, or `signal` was aborted, which ends it after the batch that is being bound.
 */
export async function adoptTenant(tenantId: string, signal?: AbortSignal): Promise<boolean> {
  if (await inTenant(tenantId, async (tx) => (await adoptionOf(tx, tenantId)) === 'ended')) {
    const remembered = await rememberAdoption(tenantId)
    const open = await inTenant(tenantId, (tx) => openTypes(tx, tenantId))
    if (open.length === 0) return (await rememberLaterAdoption(tenantId)) && remembered
    if ((await inTenant(tenantId, (tx) => recallLaterAdoption(tx, tenantId))) !== 'open') return false
    return (await adoptTypes(tenantId, open, endLaterAdoption, signal)) && remembered
  }
  if ((await inTenant(tenantId, (tx) => recallAdoption(tx, tenantId))) !== 'open') return false
  return await adoptTypes(tenantId, boundTypes, endAdoption, signal)
}

/**
 * Puts the ends of a tenant's adoptions that the log contains into the signer's memory: until then, only the database has them.
 * Returns false if an adoption is open, or the memory can't be written.
 */
export async function rememberEnds(tenantId: string): Promise<boolean> {
  if (!(await inTenant(tenantId, async (tx) => (await adoptionOf(tx, tenantId)) === 'ended'))) return false
  const remembered = await rememberAdoption(tenantId)
  if (!(await inTenant(tenantId, (tx) => isLaterBound(tx, tenantId)))) return false
  return (await rememberLaterAdoption(tenantId)) && remembered
}

/** The types whose adoption is open though that of the others has ended. */
async function openTypes(tx: Transaction, tenantId: string): Promise<BoundType[]> {
  const open: BoundType[] = []
  for (const bound of boundTypes) if ((await adoptionOfType(tx, tenantId, bound)) === 'open') open.push(bound)
  return open
}

async function adoptTypes(
  tenantId: string,
  types: readonly BoundType[],
  end: (tenantId: string) => Promise<boolean>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    for (let round = 0; round < mostRounds; round++) {
      for (const bound of types) await adoptRows(tenantId, bound, signal)
      if (await isAllBound(tenantId, types, signal)) return await end(tenantId)
    }
    return false
  } catch (error) {
    if (error instanceof Busy || (signal?.aborted === true && error === signal.reason)) return false
    throw error
  }
}

const inTenant = <T>(tenantId: string, work: (tx: Transaction) => Promise<T>): Promise<T> =>
  runtime().database.inTenant(tenantId, work)

async function adoptRows(tenantId: string, bound: BoundType, signal: AbortSignal | undefined): Promise<void> {
  const adopt = (read: (tx: Transaction) => Promise<Compared[]>) =>
    inTenant(tenantId, async (tx) => {
      if (!(await lockAdoption(tx, tenantId))) throw new Busy()
      const objects = await read(tx)
      const cipher = await tenantCipher(tx, tenantId)
      const changes = objects.flatMap((one) => changeToAdopt(cipher, bound, one) ?? [])
      if (changes.length > 0) await tx.executeQuery(await recordChanges(tx, tenantId, cipher, changes, 'state.adopted'))
      return objects
    })
  await pages(signal, (after) => adopt((tx) => readRowsAfter(tx, bound, after, { limit: batch, lock: true })))
  // A process of an older version deletes rows without recording it.
  await pages(signal, (after) => adopt(async (tx) => await readStatesAfter(tx, bound, after ?? '', batch)))
}

async function isAllBound(
  tenantId: string,
  types: readonly BoundType[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const cipher = await inTenant(tenantId, (tx) => tenantCipher(tx, tenantId))
  for (const bound of types) {
    let open = false
    const look = async (objects: Compared[]) => {
      open ||= objects.some((one) => changeToAdopt(cipher, bound, one) !== undefined)
      return open ? [] : objects
    }
    await pages(signal, (after) =>
      inTenant(tenantId, async (tx) => look(await readRowsAfter(tx, bound, after, { limit: batch, lock: false }))),
    )
    await pages(signal, (after) =>
      inTenant(tenantId, async (tx) => look(await readStatesAfter(tx, bound, after ?? '', batch))),
    )
    if (open) return false
  }
  return true
}

async function pages(
  signal: AbortSignal | undefined,
  read: (after: string | undefined) => Promise<Compared[]>,
): Promise<void> {
  let after: string | undefined
  for (;;) {
    signal?.throwIfAborted()
    const objects = await read(after)
    if (objects.length === 0) return
    after = objects.at(-1)?.id
  }
}

async function endAdoption(tenantId: string): Promise<boolean> {
  const end = await inTenant(tenantId, async (tx): Promise<AdoptionEnd | undefined> => {
    if (!(await lockAdoption(tx, tenantId))) throw new Busy()
    if ((await adoptionOf(tx, tenantId)) === 'ended') return undefined
    const row = { auditId: newId(), endedAt: new Date() }
    await recordEnd(tx, tenantId, adoptionEndedAction, row.auditId)
    const mac = adoptionMac(await tenantCipher(tx, tenantId), row)
    await insertAdoption(tx, { tenantId, ...row, mac })
    return row
  })
  // After the commit: a memory of an end that was rolled back would make every row from before it tampering.
  const remembered = await rememberAdoption(tenantId, end)
  return (await rememberLaterAdoption(tenantId)) && remembered
}

async function endLaterAdoption(tenantId: string): Promise<boolean> {
  await inTenant(tenantId, async (tx) => {
    if (!(await lockAdoption(tx, tenantId))) throw new Busy()
    if ((await openTypes(tx, tenantId)).length > 0) await recordEnd(tx, tenantId, laterAdoptionEndedAction, newId())
  })
  return await rememberLaterAdoption(tenantId)
}

async function recordEnd(tx: Transaction, tenantId: string, action: string, auditId: string): Promise<void> {
  await appendAudit(
    tx,
    { id: tenantId, externalId: await findExternalId(tx, tenantId) },
    {
      auditId,
      actor: systemActor,
      action,
      resource: { type: 'tenant', id: tenantId },
      details: { form, types: [...laterTypes] },
    },
  )
}
