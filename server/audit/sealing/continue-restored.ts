import { randomBytes } from 'node:crypto'
import { logOrigin, sealLog } from '#server/audit/sealing/log-name.ts'
import type { LogOwner } from '#server/audit/store.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { recordKey } from '#server/kernel/keys/key-record.ts'
import { currentSigningKey, rotateSigningKey } from '#server/kernel/keys/signing-keys.ts'
import { LogRefused } from './log-refused.ts'
import { copyAdoptedTypes } from './memory/adopted-types.ts'
import type { BackedUpMemory } from './memory/backed-up.ts'
import {
  keepMemory,
  newMemory,
  readMemory,
  readMemoryText,
  type SignedHead,
  type SignerMemory,
} from './memory/signer-memory.ts'
import { type SignedHeads, signedHeads } from './signed-heads.ts'
import { lockSigner } from './signer-store.ts'

export type Backup = { id: string; createdAt: string }

/**
 * Continues a restored log under a new name and a new key. The first record under it is `audit_log.restored`: it names the last
 * signed heads in the backup and, if the signer's memory of this installation has newer ones, those. That memory is not changed: the
 * continued log has a new one. Throws LogRefused if the rows of the backup are not the ones that were signed.
 */
export async function continueRestored(
  tx: Transaction,
  tenant: LogOwner,
  backup: Backup,
  texts: BackedUpMemory,
): Promise<SignedHeads & { logName: string }> {
  await lockSigner(tx, tenant.id)
  const remembered = texts.memory === undefined ? undefined : await readMemoryText(tx, tenant.id, texts.memory)
  const heads = await signedHeads(tx, tenant)
  checkRemembered(heads, remembered)
  const logName = `restored-${randomBytes(6).toString('hex')}`
  const before = (await currentSigningKey(tx, tenant.id, 'log')).logName
  await appendAudit(tx, tenant, {
    actor: systemActor,
    action: 'audit_log.restored',
    resource: { type: 'audit_log', id: sealLog },
    details: {
      backup: backup.id,
      backedUpAt: backup.createdAt,
      before: { origin: logOrigin(tenant.externalId, sealLog, before), ...heads },
      ...(await signedSince(tx, tenant, heads)),
      origin: logOrigin(tenant.externalId, sealLog, logName),
    },
  })
  await rotateSigningKey(tx, tenant.id, 'log', logName)
  await recordKey(tx, tenant, 'log')
  if (remembered !== undefined) {
    const { keyedFrom, adopted, broken } = remembered
    const memory = { ...newMemory(tenant.id), keyedFrom, adopted, broken }
    await keepMemory(tx, { memory, version: undefined }, heads)
    if (texts.adopted !== undefined) await copyAdoptedTypes(tx, tenant.id, texts.adopted)
  }
  return { ...heads, logName }
}

/** The memory was read after the rows and is written before a signature: it has every head that the rows have. */
function checkRemembered({ seals, sealedThrough, days }: SignedHeads, memory: SignerMemory | undefined): void {
  const signed = seals.size > 0 || Object.keys(days).length > 0
  if (memory === undefined) {
    if (signed)
      throw new LogRefused('The log in the backup was signed, but the backup does not have the signer’s memory.')
    return
  }
  if (differs(seals, memory.seals))
    throw new LogRefused('The log of closed days in the backup is not the one that the signer remembers.')
  for (const [date, head] of Object.entries(days)) {
    const closedSince = memory.sealedThrough !== null && date <= memory.sealedThrough
    if (!closedSince && differs(head, memory.days[date]))
      throw new LogRefused(`The log of ${date} in the backup is not the one that the signer remembers.`)
  }
  for (const date of Object.keys(memory.days))
    if (sealedThrough !== null && date <= sealedThrough)
      throw new LogRefused(`${date} is closed in the backup, but the signer remembers it as open.`)
}

const differs = (head: SignedHead, known: SignedHead | undefined): boolean =>
  known === undefined || head.size > known.size || (head.size === known.size && head.root !== known.root)

/** The heads in the signer's memory of this installation, if it signed more than the backup has, or why it can't be read. */
async function signedSince(
  tx: Transaction,
  tenant: LogOwner,
  backup: SignedHeads,
): Promise<{ signedSince: SignedHeads | null; memoryRefused?: string }> {
  const memory = await readMemory(tx, tenant).catch((error: unknown) => {
    if (!(error instanceof LogRefused)) throw error
    return error
  })
  if (memory instanceof LogRefused) return { signedSince: null, memoryRefused: memory.message }
  return { signedSince: memory === undefined ? null : newerHeads(memory.memory, backup) }
}

function newerHeads(memory: SignerMemory, backup: SignedHeads): SignedHeads | null {
  const { seals, sealedThrough, days } = memory
  const newer =
    seals.size > backup.seals.size ||
    Object.entries(days).some(([date, head]) => head.size > (backup.days[date]?.size ?? 0))
  return newer ? { seals, sealedThrough, days } : null
}
