import type { Transaction } from '#server/kernel/db/database.ts'
import { type TenantSealer, tenantSealer } from '#server/kernel/keys/tenant-keys.ts'
import { type StoredAttribute, StoredAttributes } from '#server/traces/attributes.ts'
import { withShown } from './encrypt-span.ts'
import { opened } from './sensitive-values.ts'

type Sealed = { spanId: string; attributes: unknown; sealed: readonly Buffer[] | null }

/**
 * Spans with what everyone who reads the trace may see, which lies encrypted for those of executions: for the others `sealed`
 * is null. Attributes whose sealed bytes were changed come without a value. The tenant's key is read only when there is something to open.
 */
export async function shownSpans<Row extends Sealed>(
  tx: Transaction,
  { tenantId, traceId }: { tenantId: string; traceId: string },
  rows: readonly Row[],
): Promise<(Omit<Row, 'sealed' | 'attributes'> & { attributes: StoredAttribute[] })[]> {
  const sealer = rows.some(({ sealed }) => sealed !== null) ? await tenantSealer(tx, tenantId) : undefined
  return rows.map(({ sealed, attributes, ...row }) => ({
    ...row,
    attributes: shownAttributes(sealer, { traceId, spanId: row.spanId, attributes, sealed }),
  }))
}

/** The same for the attributes of one span. */
export function shownAttributes(
  sealer: TenantSealer | undefined,
  { attributes, ...span }: Sealed & { traceId: string },
): StoredAttribute[] {
  const stored = StoredAttributes.parse(attributes)
  return sealer === undefined || span.sealed === null ? stored : withShown(stored, opened(sealer, span) ?? new Map())
}
