import { z } from 'zod'
import { mutation } from '#server/kernel/operation.ts'
import { inPieces } from '#server/kernel/pace.ts'
import { normalise } from './normalise.ts'
import { Decoded, DecodedLogs } from './otlp.ts'
import { recordSpans } from './record-spans.ts'
import { batchDetails, otlpWire, Recorded } from './recorded.ts'

const Answer = z.object({
  partialSuccess: z.object({ rejectedSpans: z.string(), errorMessage: z.string() }).optional(),
})

export const spansWire = otlpWire('resourceSpans', Answer)

const Output = Recorded.extend(Answer.shape)

/**
 * Commits the spans of a request: counters, and one audit record that commits to each of them. The same request again adds
 * nothing, and no record of it either.
 * Its input is what the transport has decoded.
 */
export const exportSpans = mutation({
  permission: 'telemetry:write',
  connectionTokens: 'telemetry',
  input: z
    .custom<Decoded>((value) => value instanceof Decoded && !(value instanceof DecodedLogs))
    .describe('ExportTraceServiceRequest of OTLP/HTTP, as protobuf or JSON'),
  output: Output,
  audit(_, output) {
    // This operation never refuses a complete request, and a request that adds no spans leaves no audit record.
    if (output?.root === undefined) return undefined
    const details = batchDetails(output, output.partialSuccess?.rejectedSpans)
    return { action: 'telemetry.received', resource: { type: 'telemetry_batch', id: output.auditId }, details }
  },
  async run({ input, ...context }) {
    const all = await inPieces(input.spans, (scoped) => ({ scoped, facts: normalise(scoped) }))
    const { recorded, refused } = await recordSpans(context, all, input.rejected)
    if (refused === undefined) return recorded
    const { count, errorMessage } = refused
    return { ...recorded, partialSuccess: { rejectedSpans: count, errorMessage } }
  },
})
