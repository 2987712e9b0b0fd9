import { notFound } from '#lib/errors.ts'
import { AuditProof, GetAuditInput } from '#lib/schemas/audit.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { query } from '#server/kernel/operation.ts'
import { daySeal } from './seal-proof.ts'
import { findLatestCheckpoint, findRecord, type StoredCheckpoint, type StoredRecord } from './store.ts'
import { formatTlogProof } from './tlog-proof.ts'
import { provenLeaf } from './tree.ts'

/** One record with what proves it: the input of traces.verify. */
export const get = query({
  permission: 'audit:read',
  input: GetAuditInput,
  output: AuditProof,
  async run({ tx, tenant, input }) {
    const row = await findRecord(tx, tenant.id, input.auditId)
    if (row === undefined) throw notFound()
    const checkpoint = await findLatestCheckpoint(tx, tenant.id, row.date)
    return {
      record: row.record,
      tenant: tenant.externalId,
      auditId: row.auditId,
      date: row.date,
      nonce: row.nonce.toString('hex'),
      digest: `sha256:${row.digest.toString('hex')}`,
      leafIndex: row.seq,
      ...(checkpoint === undefined || checkpoint.size <= row.seq
        ? pending
        : { ...(await proofOf(tx, tenant.id, row, checkpoint)), ...(await sealOf(tx, tenant.id, row.date)) }),
    }
  },
})

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
  // With a hash missing there is no path to give; traces.verify says what is wrong.
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

async function sealOf(tx: Transaction, tenantId: string, date: string) {
  const seal = await daySeal(tx, tenantId, date)
  if (seal?.proof === undefined) return { sealLog: null, sealTlogProof: null }
  const { index, size, root, proof, note } = seal
  return {
    sealLog: { index, treeSize: size, merkleRoot: hex(root), inclusionProof: proof.map(hex), checkpoint: note },
    sealTlogProof: formatTlogProof({ index, proof, checkpoint: note }),
  }
}

const hex = (hash: Buffer): string => hash.toString('hex')
