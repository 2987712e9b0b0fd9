import { ApiError } from '#lib/errors.ts'
import type { AuditProof } from '#lib/schemas/audit.ts'
import { currentVerifierKey, noteReader } from '#server/audit/notes/checkpoint-note.ts'
import { formatTlogProof } from '#server/audit/notes/tlog-proof.ts'
import { dayHead } from '#server/audit/sealing/day-head.ts'
import type { DaySeal } from '#server/audit/sealing/day-seal.ts'
import { findRecord, type LogOwner, type StoredCheckpoint, type StoredRecord } from '#server/audit/store.ts'
import { provenLeaf } from '#server/audit/tree/tree.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

/**
 * Returns one record with its proof and the key that signed the checkpoint; undefined for an unknown record. Throws
 * integrity_failed when the rows of its day contradict the seal log or what the signer remembers.
 */
export async function recordProof(
  tx: Transaction,
  tenant: LogOwner,
  auditId: string,
): Promise<{ proof: AuditProof; verifierKey: string } | undefined> {
  const row = await findRecord(tx, tenant.id, auditId)
  if (row === undefined) return undefined
  const { checkpoint, seal, contradicted } = await dayHead(tx, tenant, row.date)
  if (contradicted !== undefined) throw new ApiError('integrity_failed', contradicted)
  const note = checkpoint === undefined ? undefined : (await noteReader(tx, tenant))(row.date, checkpoint.note)
  const proof: AuditProof = {
    record: row.record,
    tenant: tenant.externalId,
    auditId: row.auditId,
    date: row.date,
    nonce: row.nonce.toString('hex'),
    digest: `sha256:${row.digest.toString('hex')}`,
    leafIndex: row.seq,
    ...(checkpoint === undefined || checkpoint.size <= row.seq
      ? pending
      : { ...(await proofOf(tx, tenant.id, row, checkpoint)), ...sealOf(seal) }),
  }
  return { proof, verifierKey: note?.ok ? note.verifierKey : await currentVerifierKey(tx, tenant, row.date) }
}

const pending = {
  seal: 'pending' as const,
  merkleRoot: null,
  treeSize: null,
  inclusionProof: null,
  checkpoint: null,
  sealLog: null,
  tlogProof: null,
  sealTlogProof: null,
}

async function proofOf(tx: Transaction, tenantId: string, { date, seq }: StoredRecord, checkpoint: StoredCheckpoint) {
  // If a hash is missing, a path cannot be computed; traces.verify reports the cause.
  const proof = (await provenLeaf(tx, { tenantId, name: date }, seq, checkpoint.size))?.proof
  return {
    seal: 'sealed' as const,
    merkleRoot: checkpoint.root.toString('hex'),
    treeSize: checkpoint.size,
    inclusionProof: proof?.map(hex) ?? null,
    checkpoint: checkpoint.note,
    tlogProof: proof === undefined ? null : formatTlogProof({ index: seq, proof, checkpoint: checkpoint.note }),
  }
}

function sealOf(seal: DaySeal | undefined) {
  if (seal?.proof === undefined) return { sealLog: null, sealTlogProof: null }
  const { index, size, root, proof, note } = seal
  return {
    sealLog: { index, treeSize: size, merkleRoot: hex(root), inclusionProof: proof.map(hex), checkpoint: note },
    sealTlogProof: formatTlogProof({ index, proof, checkpoint: note }),
  }
}

const hex = (hash: Buffer): string => hash.toString('hex')
