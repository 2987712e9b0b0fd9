import { z } from 'zod'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { mutation } from '#server/kernel/operation.ts'
import { inPieces } from '#server/kernel/pace.ts'
import { type Normalised, normalise } from '../normalise.ts'
import { DecodedLogs, type Scoped } from '../otlp.ts'
import { recordSpans } from '../record-spans.ts'
import { batchDetails, otlpWire, Recorded } from '../recorded.ts'

const Answer = z.object({
  partialSuccess: z.object({ rejectedLogRecords: z.string(), errorMessage: z.string() }).optional(),
})

export const logsWire = otlpWire('resourceLogs', Answer)

const Output = Recorded.extend(Answer.shape)

/**
 * Commits the log records of a request that name a span, each as an entry without duration below that span (decision 0050):
 * masked, encrypted and proven like spans. The same request again adds nothing.
 * Its input is what the transport has decoded.
 */
export const exportLogs = mutation({
  permission: 'telemetry:write',
  connectionTokens: 'telemetry',
  input: z
    .custom<DecodedLogs>((value) => value instanceof DecodedLogs)
    .describe('ExportLogsServiceRequest of OTLP/HTTP, as protobuf or JSON'),
  output: Output,
  audit(_, output) {
    if (output?.root === undefined) return undefined
    const details = { signal: 'logs', ...batchDetails(output, output.partialSuccess?.rejectedLogRecords) }
    return { action: 'telemetry.received', resource: { type: 'telemetry_batch', id: output.auditId }, details }
  },
  async run({ input, ...context }) {
    const { fingerprint } = await tenantCipher(context.tx, context.tenant.id)
    const ofResource = digestOnce(fingerprint)
    const all = await inPieces(input.spans, (scoped) => entry(scoped, ofResource, fingerprint))
    const { recorded, refused } = await recordSpans(context, all, input.rejected)
    if (refused === undefined) return recorded
    const { count, errorMessage } = refused
    return { ...recorded, partialSuccess: { rejectedLogRecords: count, errorMessage } }
  },
})

/**
 * The entry with an id of its own: the beginning of a keyed digest of its content, so that a repeated record is recognised,
 * and that nothing can be guessed from the id. Its facts are those of its resource: the span has counted its tokens already.
 */
function entry(
  { resource, scope, span }: Scoped,
  ofResource: (resource: Scoped['resource']) => string,
  fingerprint: (text: string) => Buffer,
): { scoped: Scoped; facts: Normalised } {
  const spanId = fingerprint(JSON.stringify(['log record', ofResource(resource), scope, span])).toString('hex', 0, 8)
  const scoped = { resource, scope, span: { ...span, spanId } }
  const { facts, agent, service } = normalise(scoped)
  const kept = Object.entries(facts).filter(([name]) => factsOfResource.has(name))
  return { scoped, facts: { kind: 'other', facts: Object.fromEntries(kept), agent, service } }
}

const factsOfResource = new Set(['agent', 'service', 'serviceVersion', 'environment', 'scope'])

/** A resource has as many records as a request may contain: its text is made and digested once. */
function digestOnce(fingerprint: (text: string) => Buffer): (resource: Scoped['resource']) => string {
  const known = new Map<Scoped['resource'], string>()
  return (resource) => {
    const digest = known.get(resource) ?? fingerprint(JSON.stringify(resource)).toString('hex')
    known.set(resource, digest)
    return digest
  }
}
