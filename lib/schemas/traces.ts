import { z } from 'zod'
import { Actor, Hex32, Id, Json, PageInput, page, SpanId, Time, TraceId } from './common.ts'

export const SpanKind = z.enum(['workflow', 'agent', 'model', 'tool', 'policy', 'approval', 'wait', 'other'])
export type SpanKind = z.infer<typeof SpanKind>

/** A value, or what may be said of one that stays masked. */
export const Attribute = z.object({
  key: z.string(),
  value: Json.optional(),
  masked: z.object({ class: z.string(), length: z.int() }).optional(),
  /** The value was removed for ever: no grant shows it. */
  erased: z.literal(true).optional(),
})
export const Span = z.object({
  spanId: SpanId,
  parentSpanId: SpanId.nullable(),
  /** Whether an execution of ours recorded it, or telemetry told of it. */
  origin: z.enum(['execution', 'telemetry']).optional(),
  name: z.string(),
  kind: SpanKind,
  status: z.enum(['unset', 'ok', 'error']),
  statusMessage: z.string().nullable(),
  startedAt: Time,
  endedAt: Time.nullable(),
  attributes: z.array(Attribute),
})
export type Span = z.infer<typeof Span>

export const Trace = z.object({
  traceId: TraceId,
  name: z.string(),
  executionId: Id.nullable(),
  agentId: Id.nullable(),
  startedAt: Time,
  endedAt: Time.nullable(),
})
export type Trace = z.infer<typeof Trace>

export const GetTraceInput = z.strictObject({
  traceId: TraceId,
  /** External id; selects the tenant like the header. */
  tenantId: z.string().optional(),
  includeSensitiveData: z.boolean().default(false),
})
export const Masking = z.object({ maskedValues: z.int(), revealed: z.boolean(), reason: z.string().nullable() })
export const GetTraceOutput = z.object({
  trace: Trace,
  spans: z.array(Span),
  masking: Masking,
  lastEventId: z.string(),
})

export const ListTracesInput = z.strictObject(PageInput)
export const TraceSummary = Trace.extend({ spanCount: z.int(), errorCount: z.int(), agentName: z.string().nullable() })
export const TraceList = page(TraceSummary)

export const StreamInput = z
  .strictObject({
    traceId: TraceId.optional(),
    executionId: Id.optional(),
    /** The id of the last event that was taken; what came after it follows. */
    lastEventId: z
      .string()
      .regex(/^\d{1,9}$/)
      .optional(),
  })
  .refine(
    (input) => (input.traceId === undefined) !== (input.executionId === undefined),
    'Give either traceId or executionId.',
  )
/** The event's id is its number in the trace. A span comes as it stands when the event is read, not as it stood then. */
export const TraceEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('span.started'), span: Span }),
  z.object({ type: z.literal('span.ended'), span: Span }),
  z.object({ type: z.literal('heartbeat'), at: Time }),
])
export type TraceEvent = z.infer<typeof TraceEvent>

/** A record that is not sealed yet has no root to give; what is not given is taken from the stored record and its proof. */
export const VerifyInput = z.strictObject({
  /** External id; selects the tenant like the header. */
  tenant: z.string().min(1),
  auditId: Id,
  date: z.iso.date().optional(),
  nonce: Hex32.optional(),
  merkleRoot: Hex32.optional(),
  leafIndex: z.int().min(0).optional(),
  treeSize: z.int().min(0).optional(),
  inclusionProof: z.array(Hex32).max(64).optional(),
  checkpoint: z.string().max(4096).optional(),
})
export type VerifyInput = z.infer<typeof VerifyInput>
export const Check = z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })
export const VerifyOutput = z.object({
  verified: z.boolean(),
  status: z.enum(['verified', 'pending_seal', 'erased', 'mismatch', 'not_found']),
  checks: z.array(Check),
})
export type VerifyOutput = z.infer<typeof VerifyOutput>

export const Reviewer = Actor
