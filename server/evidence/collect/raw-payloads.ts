import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { clearValues, clearValuesOfResource } from '#server/traces/encryption/sensitive-values.ts'
import { readResources } from './collect-batches-store.ts'
import { readSealedSpans } from './collect-spans-store.ts'
import type { Period } from './collect-store.ts'
import { isTooLarge, type LeftOut } from './left-out.ts'

/**
 * Yields the unmasked sensitive values of the period's spans and their resources, one line each. `commitment` is also in the
 * span's attribute in data/traces, and is base64url(SHA-256(JCS([salt, value]))). Unavailable values are added to `leftOut`.
 */
export async function* rawValues(
  tx: Transaction,
  tenantId: string,
  period: Period,
  leftOut: LeftOut[],
): AsyncGenerator<object> {
  const cipher = await tenantCipher(tx, tenantId)
  for await (const span of readSealedSpans(tx, tenantId, period)) {
    const { traceId, spanId } = span
    const { values, missing } = clearValues(cipher, span)
    for (const { disclosure, ...value } of values) {
      const [salt, clear] = disclosure
      if (isTooLarge(clear)) leftOut.push({ resource: 'spans', id: `${traceId}/${spanId}`, reason: 'too_large' })
      else yield { traceId, spanId, ...value, salt, value: clear }
    }
    for (const reason of missing) leftOut.push({ resource: 'spans', id: `${traceId}/${spanId}`, reason })
  }
  for await (const resource of readResources(tx, tenantId, period)) {
    const { auditId, resourceIndex } = resource
    const { values, missing } = clearValuesOfResource(cipher, { ...resource, index: resourceIndex })
    for (const { disclosure, ...value } of values) {
      const [salt, clear] = disclosure
      if (isTooLarge(clear))
        leftOut.push({ resource: 'resources', id: `${auditId}/${resourceIndex}`, reason: 'too_large' })
      else yield { auditId, resourceIndex, ...value, salt, value: clear }
    }
    for (const reason of missing) leftOut.push({ resource: 'resources', id: `${auditId}/${resourceIndex}`, reason })
  }
}
