import type { Transaction } from '#server/kernel/db/database.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { type StoredAttribute, StoredAttributes } from '#server/traces/attributes.ts'
import { withShown } from './encrypt-span.ts'
import { opened } from './sensitive-values.ts'

type EncryptedRow = { spanId: string; attributes: unknown; sealed: readonly Buffer[] | null }

/**
 * Returns spans with the values that everyone who reads the trace may see. For spans of executions these are stored encrypted;
 * for others `sealed` is null. Attributes whose encrypted bytes were changed lack a value. The tenant's key is read only if a
 * span is encrypted.
 */
export async function shownSpans<Row extends EncryptedRow>(
  tx: Transaction,
  { tenantId, traceId }: { tenantId: string; traceId: string },
  rows: readonly Row[],
): Promise<(Omit<Row, 'sealed' | 'attributes'> & { attributes: StoredAttribute[] })[]> {
  const cipher = rows.some(({ sealed }) => sealed !== null) ? await tenantCipher(tx, tenantId) : undefined
  return rows.map(({ sealed, attributes, ...row }) => ({
    ...row,
    attributes: shownAttributes(cipher, { traceId, spanId: row.spanId, attributes, sealed }),
  }))
}

/** The same for the attributes of one span. */
export function shownAttributes(
  cipher: TenantCipher | undefined,
  { attributes, ...span }: EncryptedRow & { traceId: string },
): StoredAttribute[] {
  const stored = StoredAttributes.parse(attributes)
  return cipher === undefined || span.sealed === null ? stored : withShown(stored, opened(cipher, span) ?? new Map())
}
