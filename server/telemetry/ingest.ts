import type { JsonObject } from '#lib/json.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newId } from '#server/kernel/ids.ts'
import { actorOfCall } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { type Recorded, recordBatch } from '#server/traces/record-batch.ts'
import type { Decoded } from './otlp.ts'
import { toSpan } from './to-span.ts'

/** Commits a decoded request: spans, counters and one audit record that commits to each of them. Gives how many were refused. */
export async function ingest(caller: Caller, { spans, rejected }: Decoded): Promise<void> {
  if (spans.length === 0) return
  const { tenant, principal, requestId } = caller
  const prepared = spans.map(toSpan)
  const auditId = newId()
  const recorded = await runtime().database.inTenant(tenant.id, async (tx): Promise<Recorded> => {
    const result = await recordBatch(tx, tenant.id, auditId, prepared)
    // The same batch again adds nothing, and no record of it either.
    if (result.root === undefined) return result
    const details: JsonObject = {
      spans: result.added,
      traces: result.traces,
      root: `sha256:${result.root}`,
      ...(result.repeated === 0 ? {} : { repeated: result.repeated }),
      ...(rejected.count + result.conflicting === 0 ? {} : { rejected: rejected.count + result.conflicting }),
    }
    await appendAudit(tx, tenant, {
      auditId,
      actor: actorOfCall(principal),
      action: 'telemetry.received',
      resource: { type: 'telemetry_batch', id: auditId },
      details,
      requestId,
    })
    return result
  })
  for (let count = 0; count < recorded.conflicting; count++)
    rejected.add('another span has this trace id and span id already')
}
