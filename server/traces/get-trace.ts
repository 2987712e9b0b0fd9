import type { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { GetTraceInput, GetTraceOutput, type Span } from '#lib/schemas/traces.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { requireBoundBelow } from '#server/kernel/bound/check.ts'
import { findErased } from '#server/kernel/content/erased-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { query } from '#server/kernel/operation.ts'
import { decryptSpan, withShown } from '#server/traces/encryption/encrypt-span.ts'
import { shownSpans } from '#server/traces/encryption/shown-spans.ts'
import { authorityOver, noteReveal, revealed, seenBy } from '#server/traces/unmasking/reveal.ts'
import { StoredAttributes } from './attributes.ts'
import { contentsOf } from './contents.ts'
import { requireExecutionsOf } from './executions-of.ts'
import { skeletonOf } from './skeleton.ts'
import { findTrace, listEncrypted, listSkeleton, listSpans, type TraceKey } from './store.ts'
import { usageOfTrace } from './usage.ts'
import { maskedValues, spanView, traceView } from './view.ts'

/** Larger traces are only available as a skeleton, so that a response stays below a hundred megabytes. */
const maxSpans = 10_000

/**
 * Returns a trace with its spans in the order of their arrival, or as a skeleton. Sensitive values are masked unless the caller
 * has a grant, or the permission and a justification. Each read of unmasked values writes an audit record.
 */
export const getTrace = query({
  permission: 'trace:read',
  input: GetTraceInput,
  output: GetTraceOutput,
  tenantField: 'tenantId',
  showsSecrets: true,
  async run({ tx, input, ...caller }) {
    const { tenant } = caller
    const trace = await findTrace(tx, tenant.id, input.traceId)
    if (trace === undefined) throw notFound()
    const key = { tenantId: tenant.id, ...trace }
    await requireExecutionsOf(tx, tenant.id, [trace])
    await requireBoundBelow(tx, tenant.id, 'span', `${trace.day}/${trace.traceId}`)
    const asked = input.includeSensitiveData && input.view === 'full'
    const { spans, values, reason } = await spansOf(tx, caller, key, input.view, asked)
    return {
      trace: {
        ...traceView(trace),
        spanCount: trace.spanCount,
        errorCount: trace.errorCount,
        agentName: trace.agentName,
      },
      spans,
      ...(await columnsOf(tx, key, trace.agentId, input.view)),
      usage: await usageOfTrace(tx, key, trace.agentId),
      masking: { maskedValues: maskedValues(spans), revealed: values > 0, reason },
      seenBy: await seenBy(tx, tenant.id, input.traceId),
      erased: await findErased(tx, tenant.id, 'trace', input.traceId),
      lastEventId: String(trace.changeCount),
    }
  },
})

type View = z.infer<typeof GetTraceInput>['view']

async function columnsOf(tx: Transaction, key: TraceKey, agentId: string | null, view: View) {
  if (view === 'full') return {}
  const skeleton = skeletonOf(await listSkeleton(tx, key))
  return view === 'skeleton'
    ? { skeleton }
    : { skeleton, contents: await contentsOf(tx, key, agentId, skeleton.spanIds) }
}

async function spansOf(
  tx: Transaction,
  caller: Caller,
  key: TraceKey,
  view: View,
  asked: boolean,
): Promise<{ spans: Span[]; values: number; reason: string | null }> {
  if (view !== 'full') return { spans: [], values: 0, reason: null }
  const rows = await listSpans(tx, key, maxSpans)
  const authority = asked ? await authorityOver(tx, caller, key.traceId) : null
  if (authority === null || typeof authority === 'string')
    return { spans: (await shownSpans(tx, key, rows)).map(spanView), values: 0, reason: authority }
  const cipher = await tenantCipher(tx, key.tenantId)
  const sealed = new Map((await listEncrypted(tx, key, maxSpans)).map((row) => [row.spanId, row.sealed]))
  let values = 0
  const spans = rows.map((row) => {
    const disclosures = decryptSpan(cipher, {
      traceId: key.traceId,
      spanId: row.spanId,
      sealed: sealed.get(row.spanId) ?? null,
    })
    const attributes = withShown(StoredAttributes.parse(row.attributes), disclosures)
    const shown = revealed(attributes, disclosures, authority.fields)
    values += shown.count
    return spanView({ ...row, attributes: shown.attributes })
  })
  if (values > 0) await noteReveal(tx, caller, { traceId: key.traceId, spanId: null, values, authority })
  return { spans, values, reason: values > 0 ? null : 'This trace does not contain masked values.' }
}
