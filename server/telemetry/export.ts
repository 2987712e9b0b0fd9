import { z } from 'zod'
import { isJsonObject } from '#lib/json.ts'
import { mutation } from '#server/kernel/operation.ts'
import { recordBatch, type TelemetrySpan } from '#server/traces/recording/record-batch.ts'
import type { WrittenAttribute } from '#server/traces/recording/write-span.ts'
import { classesDeclared } from './declared.ts'
import { decodeRequest } from './decode-json.ts'
import { type Normalised, normalise } from './normalise.ts'
import { Decoded, type KeyValue, type Scoped } from './otlp.ts'
import type { ClassDeclared } from './sensitive.ts'
import { toSpan, written } from './to-span.ts'

const Output = z.object({
  partialSuccess: z.object({ rejectedSpans: z.string(), errorMessage: z.string() }).optional(),
})

/** The result of an export, and the response. */
const Recorded = Output.extend({
  auditId: z.uuid(),
  spans: z.int(),
  traces: z.int(),
  repeated: z.int(),
  /** The root of the tree of the added spans' leaves, in hex; undefined if none were added. */
  root: z.string().optional(),
})

/**
 * Commits the spans of a request with their counters, and one audit record that commits to each span. A repeated request adds
 * neither spans nor a record. Accepts OTLP/JSON, or a request that a transport has decoded.
 */
export const exportSpans = mutation({
  permission: 'telemetry:write',
  input: z
    .custom<object>((value) => value instanceof Decoded || isJsonObject(value))
    .transform((value) => (value instanceof Decoded ? value : decodeRequest(value)))
    .describe('ExportTraceServiceRequest of OTLP/HTTP, as protobuf or JSON'),
  output: Recorded,
  audit(_, output) {
    // This operation never refuses a complete request, and a request that adds no spans leaves no audit record.
    if (output?.root === undefined) return undefined
    const { auditId, spans, traces, repeated, root, partialSuccess } = output
    const details = {
      spans,
      traces,
      root: `sha256:${root}`,
      repeated: repeated === 0 ? undefined : repeated,
      rejected: partialSuccess && Number(partialSuccess.rejectedSpans),
    }
    return { action: 'telemetry.received', resource: { type: 'telemetry_batch', id: auditId }, details }
  },
  async run({ tx, tenant, auditId, input }) {
    const { spans, rejected } = input
    const normalised = spans.map((scoped) => ({ scoped, facts: normalise(scoped) }))
    const spoken = normalised.map(({ scoped: { span }, facts }) => ({ traceId: span.traceId, agent: facts.agent }))
    const declared = await classesDeclared(tx, tenant.id, spoken)
    const { added, conflicting, ...recorded } = await recordBatch(
      tx,
      tenant.id,
      auditId,
      prepared(normalised, declared),
    )
    const count = rejected.count + conflicting
    const reasons = new Set(rejected.reasons)
    if (conflicting > 0) reasons.add('another span has this trace id and span id already')
    return {
      auditId,
      spans: added,
      ...recorded,
      ...(count === 0
        ? {}
        : { partialSuccess: { rejectedSpans: String(count), errorMessage: [...reasons].join('; ') } }),
    }
  },
})

/** Yields spans one at a time, so that only one of them is in memory. */
function* prepared(
  normalised: readonly { scoped: Scoped; facts: Normalised }[],
  declared: (traceId: string) => ClassDeclared | undefined,
): Generator<TelemetrySpan> {
  const resources = resourceWriter()
  for (const { scoped, facts } of normalised) {
    const classes = declared(scoped.span.traceId)
    yield toSpan(scoped, facts, classes, resources(scoped.resource, classes))
  }
}

/** Returns the same list for spans with the same resource and declarations, so that it is stored once. */
function resourceWriter() {
  const known = new Map<readonly KeyValue[], Map<ClassDeclared | undefined, readonly WrittenAttribute[]>>()
  return (resource: readonly KeyValue[], declared: ClassDeclared | undefined): readonly WrittenAttribute[] => {
    const byClasses = known.get(resource) ?? new Map<ClassDeclared | undefined, readonly WrittenAttribute[]>()
    known.set(resource, byClasses)
    const before = byClasses.get(declared)
    if (before !== undefined) return before
    const made = resource.map((pair) => written(pair, declared))
    byClasses.set(declared, made)
    return made
  }
}
