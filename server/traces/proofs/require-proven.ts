import { isJsonObject, type JsonValue } from '#lib/json.ts'
import { rootOfRow } from '#server/audit/tree/merkle.ts'
import { IntegrityFailed } from '#server/kernel/bound/integrity-failed.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { StoredAttributes, StoredEvents, StoredLinks } from '#server/traces/attributes.ts'
import { factsOf } from '#server/traces/view.ts'
import { resourceText, spanLeaf } from './span-leaf.ts'
import { findBatchDay, listBatchSpans, listResources } from './span-proof-store.ts'

const hashBytes = 32

/**
 * Throws IntegrityFailed if a span of telemetry is not the one to which the record of its request commits, or if the leaves of
 * that request are not. Reads the spans whose trace began on the day of the request. A span of which a text without a
 * commitment was erased can't be compared, and neither can a request whose leaves retention has deleted.
 */
export async function requireBatchProven(
  tx: Transaction,
  tenantId: string,
  { auditId, record }: { auditId: string; record: JsonValue },
): Promise<void> {
  const details = isJsonObject(record) && record.action === 'telemetry.received' ? record.details : undefined
  if (!isJsonObject(details)) return
  const batch = await findBatchDay(tx, tenantId, auditId)
  if (batch === undefined) return
  const failed = (type: string, id: string, reason: string) => new IntegrityFailed({ tenantId, type, id, reason })
  // rootOfRow folds the leaves in place.
  if (`sha256:${rootOfRow(Buffer.from(batch.leaves)).toString('hex')}` !== details.root)
    throw failed('telemetry_batch', auditId, 'Its leaves do not give the root in the audit log.')
  const resources = new Map(
    (await listResources(tx, tenantId, auditId)).map(({ index, attributes }) => [
      index,
      StoredAttributes.parse(attributes),
    ]),
  )
  for (const span of await listBatchSpans(tx, tenantId, { auditId, day: batch.day })) {
    const { traceId, spanId, batchIndex, resourceIndex } = span
    const own = resourceIndex === null ? undefined : resources.get(resourceIndex)
    const attributes = StoredAttributes.parse(span.attributes)
    const events = StoredEvents.parse(span.events)
    const links = StoredLinks.parse(span.links)
    const all = [attributes, own ?? [], ...[...events, ...links].map((one) => one.attributes)].flat()
    if (all.some(({ erased, value, sd }) => erased === true && value === undefined && sd === undefined)) continue
    const leaf = spanLeaf({
      ...span,
      attributes,
      events,
      links,
      facts: factsOf(span.facts),
      resource: own && resourceText(own),
    })
    const from = (batchIndex ?? -1) * hashBytes
    if (from < 0 || !leaf.equals(batch.leaves.subarray(from, from + hashBytes)))
      throw failed('span', `${traceId}/${spanId}`, 'It was changed outside the server.')
  }
}
