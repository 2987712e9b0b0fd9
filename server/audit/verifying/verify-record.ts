import type { VerifyInput, VerifyOutput } from '#lib/schemas/traces.ts'
import { type NoteReader, noteReader, type ReadNote } from '#server/audit/notes/checkpoint-note.ts'
import { digestOf, hasRecordedTime, leafHashOf } from '#server/audit/sealing/record-leaf.ts'
import {
  findCheckpointOfRoot,
  findLatestCheckpoint,
  findRecord,
  type LogOwner,
  type StoredCheckpoint,
  type StoredRecord,
} from '#server/audit/store.ts'
import { rootFromInclusionProof } from '#server/audit/tree/merkle.ts'
import { whyLogAltered } from '#server/audit/tree/stored-log.ts'
import { findTreeSize } from '#server/audit/tree/tile-store.ts'
import { provenLeaf } from '#server/audit/tree/tree.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { type Checks, check } from './check-line.ts'
import { checkSeal } from './verify-day-seal.ts'

/** The root that the path must reach, and the stored checkpoint with it; undefined when that root was never signed. */
type Claim = { root: Buffer; signed: StoredCheckpoint | undefined }

/**
 * Checks a record of the tenant against its signed log, in the order of the answer's `checks`. Values from the caller (nonce,
 * root, index, size, path, checkpoint) are verified as given; the others are read from the store. The stored tree of the day
 * must lead to the signed root and match the records around this one, and a closed day must be part of the seal log. The
 * recurring check of whole days finds changes elsewhere.
 */
export async function verifyRecord(tx: Transaction, tenant: LogOwner, input: VerifyInput): Promise<VerifyOutput> {
  const row = await findRecord(tx, tenant.id, input.auditId)
  if (row === undefined) {
    const missing = check('record', false, 'This tenant does not have an audit record with this id.')
    return { verified: false, status: 'not_found', checks: [missing] }
  }
  const { leafHash, checks } = checkRecord(row, tenant, input)
  const intact = checks.every((one) => one.ok)
  // Before the checkpoint: the signer stores both in one transaction, which may commit between these reads.
  const treeSize = await findTreeSize(tx, tenant.id, row.date)
  const latest = await findLatestCheckpoint(tx, tenant.id, row.date)
  if (latest === undefined || latest.size <= row.seq) {
    checks.push(check('merkleRoot', false, 'No signed checkpoint covers this record yet.'))
    // Its hash is part of a signed tree, but the signature was removed.
    const taken = treeSize > row.seq
    checks.push(...(await checkSeal(tx, tenant, row.date, await noteReader(tx, tenant))))
    const sound = intact && checks.every(({ name, ok }) => ok || name === 'merkleRoot')
    return { verified: false, status: sound && !taken ? 'pending_seal' : 'mismatch', checks }
  }
  const read = await noteReader(tx, tenant)
  const given = input.checkpoint === undefined ? undefined : read(row.date, input.checkpoint)
  const claimed = input.merkleRoot === undefined ? undefined : Buffer.from(input.merkleRoot, 'hex')
  const root = claimed ?? (given?.ok ? Buffer.from(given.checkpoint.root) : latest.root)
  const claim = { root, signed: await findCheckpointOfRoot(tx, tenant.id, row.date, root) }
  checks.push(...checkSignature(claim, input, read, given))
  checks.push(...(await checkTree(tx, tenant, row, leafHash, claim, input)))
  checks.push(...(await checkSeal(tx, tenant, row.date, read)))
  const verified = checks.every((one) => one.ok)
  return { verified, status: verified ? 'verified' : 'mismatch', checks }
}

function checkRecord(row: StoredRecord, tenant: LogOwner, input: VerifyInput) {
  const nonce = input.nonce === undefined ? row.nonce : Buffer.from(input.nonce, 'hex')
  const digest = digestOf(row, nonce)
  // A record that can't be hashed keeps the logged digest for the checks that follow; this one has failed.
  const leafHash = leafHashOf(row, tenant.externalId, digest ?? row.digest)
  const sameDate = input.date === undefined || input.date === row.date
  const checks: Checks = [
    check('record', true, `This is record ${row.seq} of ${row.date}.`),
    check(
      'date',
      sameDate && hasRecordedTime(row),
      'The date matches the record.',
      sameDate ? 'The stored time does not match the record.' : `The record was written on ${row.date}.`,
    ),
    check(
      'digest',
      digest?.equals(row.digest) ?? false,
      'The stored record and the nonce produce the logged digest.',
      'The stored record and the nonce do not produce the logged digest: one of them was changed.',
    ),
    check(
      'leaf',
      leafHash?.equals(row.leafHash) ?? false,
      'Digest, id, date, position and type produce the logged leaf hash.',
      'Digest, id, date, position and type do not produce the logged leaf hash.',
    ),
  ]
  return { leafHash, checks }
}

function checkSignature(
  { root, signed }: Claim,
  input: VerifyInput,
  read: NoteReader,
  given: ReadNote | undefined,
): Checks {
  const known = signed && read(signed.date, signed.note)
  const stored =
    known?.ok === true && known.checkpoint.size === signed?.size && signed.root.equals(known.checkpoint.root)
  const size = input.treeSize ?? signed?.size
  const fits =
    given === undefined ||
    (given.ok && root.equals(given.checkpoint.root) && (size === undefined || size === given.checkpoint.size))
  const wrong = given?.ok === false ? given.reason : 'Its root or size is different.'
  return [
    check(
      'merkleRoot',
      signed !== undefined,
      `This is the root of the checkpoint of ${signed?.size} records.`,
      'No checkpoint with this root was ever signed for that day.',
    ),
    check(
      'checkpoint',
      stored && fits,
      'The tenant’s log key signed this root and size.',
      fits ? 'The tenant’s log key did not sign this root and size.' : `The given checkpoint is not valid. ${wrong}`,
    ),
  ]
}

async function checkTree(
  tx: Transaction,
  tenant: LogOwner,
  row: StoredRecord,
  leafHash: Buffer | undefined,
  { root, signed }: Claim,
  input: VerifyInput,
): Promise<Checks> {
  const size = input.treeSize ?? signed?.size ?? 0
  const index = input.leafIndex ?? row.seq
  const stored =
    signed !== undefined && index < signed.size
      ? await provenLeaf(tx, { tenantId: tenant.id, name: row.date }, index, signed.size)
      : undefined
  const proof = input.inclusionProof?.map((hash) => Buffer.from(hash, 'hex')) ?? stored?.proof ?? []
  const reached = leafHash && rootFromInclusionProof({ index, size, leafHash, proof })
  const altered =
    signed === undefined
      ? `The stored log of ${row.date} can’t be compared, because no signed root was found.`
      : await whyLogAltered(tx, tenant.id, { date: row.date, seq: row.seq, size: signed.size, root })
  return [
    check(
      'inclusion',
      index === row.seq && size === signed?.size && (reached?.equals(root) ?? false),
      `The path of ${proof.length} hashes leads from record ${index} of ${size} to the root.`,
      `The path does not lead from record ${index} of ${size} to the root.`,
    ),
    check(
      'log',
      altered === undefined,
      `The stored log of ${row.date} still has the signed root, and the records around this one belong to it.`,
      altered,
    ),
  ]
}
