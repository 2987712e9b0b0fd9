import { notFound } from '#lib/errors.ts'
import { AuditProof, GetAuditInput } from '#lib/schemas/traces.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { query } from '#server/kernel/operation.ts'
import { inclusionProof } from './merkle.ts'
import { findLatestCheckpoint, findLeaves, findRecord, type StoredRecord } from './store.ts'

/** One record with what proves it: the input of traces.verify. */
export const get = query({
  permission: 'audit:read',
  input: GetAuditInput,
  output: AuditProof,
  async run({ tx, tenant, input }) {
    const row = await findRecord(tx, tenant.id, input.auditId)
    if (row === undefined) throw notFound()
    return {
      record: row.record,
      tenant: tenant.externalId,
      auditId: row.auditId,
      date: row.date,
      nonce: row.nonce.toString('hex'),
      digest: `sha256:${row.digest.toString('hex')}`,
      leafIndex: row.seq,
      ...(await proofOf(tx, tenant.id, row)),
    }
  },
})

async function proofOf(tx: Transaction, tenantId: string, { date, seq }: StoredRecord) {
  const checkpoint = await findLatestCheckpoint(tx, tenantId, date)
  if (checkpoint === undefined || checkpoint.size <= seq)
    return { seal: 'pending' as const, merkleRoot: null, treeSize: null, inclusionProof: null, checkpoint: null }
  // With a record missing there is no path to give; traces.verify says what is wrong.
  const leaves = await findLeaves(tx, tenantId, date, checkpoint.size)
  const proof = leaves && inclusionProof(leaves, seq)
  return {
    seal: 'sealed' as const,
    merkleRoot: checkpoint.root.toString('hex'),
    treeSize: checkpoint.size,
    inclusionProof: proof?.map((hash) => hash.toString('hex')) ?? null,
    checkpoint: checkpoint.note,
  }
}
