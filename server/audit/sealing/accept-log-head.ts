import type { LogOwner } from '#server/audit/store.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { sealLog } from './log-name.ts'
import { LogRefused } from './log-refused.ts'
import { memoryStore } from './memory/configured-store.ts'
import { forgetEarlierHeads } from './memory/earlier-heads.ts'
import {
  keepMemory,
  memoryName,
  newMemory,
  type OpenMemory,
  readMemory,
  type SignerMemory,
} from './memory/signer-memory.ts'
import { type SignedHeads, signedHeads } from './signed-heads.ts'
import { countUnkeyed, lockSigner } from './signer-store.ts'

export type AcceptedHead = SignedHeads & { unkeyed: number }

/**
 * Makes the signed heads of the database the signer's memory, on the record, because the memory was lost or is older. From
 * then on the log continues them. Nothing that the memory would have refused can be told apart any more. Throws LogRefused
 * if a stored head does not have the signature of the tenant's log key.
 */
export async function acceptLogHead(tx: Transaction, tenant: LogOwner): Promise<AcceptedHead> {
  await lockSigner(tx, tenant.id)
  const before = await openAnyway(tx, tenant)
  const heads = await signedHeads(tx, tenant)
  const unkeyed = await countUnkeyed(tx, tenant.id)
  await appendAudit(tx, tenant, {
    actor: systemActor,
    action: 'audit_log.head_accepted',
    resource: { type: 'audit_log', id: sealLog },
    details: {
      ...heads,
      before: before.known ? headsOf(before.opened.memory) : null,
      unkeyed,
    },
  })
  await keepMemory(tx, before.opened, heads)
  await forgetEarlierHeads(tenant.id)
  return { ...heads, unkeyed }
}

/** A missing or damaged memory is replaced; what else it knew is lost with it. */
async function openAnyway(tx: Transaction, tenant: LogOwner): Promise<{ opened: OpenMemory; known: boolean }> {
  try {
    const opened = await readMemory(tx, tenant)
    if (opened !== undefined) return { opened, known: true }
  } catch (error) {
    if (!(error instanceof LogRefused)) throw error
  }
  const version = (await memoryStore().read(await memoryName(tx, tenant.id)))?.version
  return { opened: { memory: newMemory(tenant.id), version }, known: false }
}

const headsOf = ({ seals, sealedThrough: through, days }: SignerMemory) => ({ seals, sealedThrough: through, days })
