import { ApiError, notFound } from '#lib/errors.ts'
import { GetSpanProofInput, SpanProof } from '#lib/schemas/traces.ts'
import { inclusionProof, treeRoot } from '#server/audit/tree/merkle.ts'
import { recordProof } from '#server/audit/verifying/record-inclusion.ts'
import { query } from '#server/kernel/operation.ts'
import { resourceText, spanLeafText } from '#server/traces/proofs/span-leaf.ts'
import { findBatchLeaves, findLeafSpan, findResource } from '#server/traces/proofs/span-proof-store.ts'
import { StoredAttributes, StoredEvents, StoredLinks } from './attributes.ts'
import { findTrace } from './store.ts'
import { factsOf } from './view.ts'

const hashBytes = 32

/**
 * Returns the proof of one span of telemetry for anyone who has only the tenant's key: the text that was hashed (masked
 * values as their commitments), its path to the root of its batch, and the audit record with that root and its own proof.
 */
export const getSpanProof = query({
  permission: 'trace:verify',
  input: GetSpanProofInput,
  output: SpanProof,
  async run({ tx, tenant, input: { traceId, spanId } }) {
    const trace = await findTrace(tx, tenant.id, traceId)
    const span = trace && (await findLeafSpan(tx, { tenantId: tenant.id, ...trace }, spanId))
    if (span === undefined) throw notFound()
    const { auditId, batchIndex } = span
    if (auditId === null || batchIndex === null)
      throw new ApiError(
        'conflict',
        'This span was recorded by an execution. Use the audit records of that execution as its proof.',
      )
    const leaves = await findBatchLeaves(tx, tenant.id, auditId)
    const found = await recordProof(tx, tenant, auditId)
    if (leaves === undefined || found === undefined)
      throw new ApiError('conflict', 'The batch that proves this span was deleted after its retention period.')
    const hashes = Array.from({ length: leaves.length / hashBytes }, (_, index) =>
      leaves.subarray(index * hashBytes, (index + 1) * hashBytes),
    )
    const resource =
      span.resourceIndex === null ? undefined : await findResource(tx, tenant.id, auditId, span.resourceIndex)
    const ownResource = resource && resourceText(StoredAttributes.parse(resource.attributes))
    return {
      traceId,
      spanId,
      leaf: spanLeafText({
        ...span,
        traceId,
        attributes: StoredAttributes.parse(span.attributes),
        events: StoredEvents.parse(span.events),
        links: StoredLinks.parse(span.links),
        facts: factsOf(span.facts),
        resource: ownResource,
      }),
      resource: ownResource ?? null,
      batch: {
        index: batchIndex,
        size: hashes.length,
        root: treeRoot(hashes).toString('hex'),
        inclusionProof: inclusionProof(hashes, batchIndex).map((hash) => hash.toString('hex')),
      },
      record: found.proof,
      verifierKey: found.verifierKey,
    }
  },
})
