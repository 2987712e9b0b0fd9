import { z } from 'zod'
import { limits } from '#lib/limits.ts'
import { isVisible } from '#lib/text/visible-text.ts'
import { AuditProof } from './audit.ts'
import { Actor, Day, Hex32, Id, Json, Justification, PageInput, page, SpanId, Time, TraceId } from './common.ts'
import { Erased } from './erased.ts'

export const SpanKind = z.enum(['workflow', 'agent', 'model', 'tool', 'policy', 'approval', 'wait', 'other'])
export type SpanKind = z.infer<typeof SpanKind>

/** A value, or the class and length of one that stays masked. */
export const Attribute = z.object({
  key: z.string(),
  value: Json.optional(),
  masked: z.object({ class: z.string(), length: z.int() }).optional(),
  /** The value was removed permanently: no grant shows it. */
  erased: z.literal(true).optional(),
})
export const Span = z.object({
  spanId: SpanId,
  parentSpanId: SpanId.nullable(),
  /** Whether one of our executions recorded it, or it arrived as telemetry. */
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

/** `agentName`: what a registered agent is called, or else what telemetry calls it. */
const Counted = { spanCount: z.int(), errorCount: z.int(), agentName: z.string().nullable() }

/** Of its model calls that report tokens. `cost`: null if a price is unknown. */
export const TraceUsage = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  models: z.array(z.string()),
  cost: z.object({ amount: z.string(), currency: z.string() }).nullable(),
})
export type TraceUsage = z.infer<typeof TraceUsage>

/** A trace in columns, one entry for each span, in pre-order. Times are microseconds after `startedAt`. */
export const TraceSkeleton = z.object({
  startedAt: Time,
  /** The dictionary for `name`. */
  names: z.array(z.string()),
  spanIds: z.array(SpanId),
  name: z.array(z.int()),
  start: z.array(z.int()),
  /** -1 for an open span. */
  duration: z.array(z.int()),
  /** Row of the parent; -1 if there is none or it is missing. */
  parent: z.array(z.int()),
  /** The row after the last descendant. */
  end: z.array(z.int()),
  depth: z.array(z.int()),
  kind: z.array(z.string()),
  status: z.array(z.string()),
  /** Rows whose parent is missing, each with the parent's id. */
  missingParents: z.array(z.object({ row: z.int(), parentId: SpanId })),
})
export type TraceSkeleton = z.infer<typeof TraceSkeleton>

/**
 * What a comparison needs of the spans, as a reader without a grant sees them. `input` and `output` have an entry for each row of
 * the skeleton: a digest of the values, '' without values, `hidden` if one of them is masked or removed.
 */
export const SpanContents = z.object({
  /** Model calls that report their tokens. `cost`: null if the price is unknown. */
  calls: z.array(
    z.object({
      row: z.int(),
      inputTokens: z.int(),
      outputTokens: z.int(),
      cost: z.object({ amount: z.string(), currency: z.string() }).nullable(),
    }),
  ),
  input: z.array(z.string()),
  output: z.array(z.string()),
})
export type SpanContents = z.infer<typeof SpanContents>

/** One read of unmasked values. */
export const Reveal = z.object({
  by: Actor,
  at: Time,
  purpose: z.string(),
  justification: z.string(),
  /** Null for the whole trace. */
  spanId: SpanId.nullable(),
  auditId: Id,
})
export const GetTraceInput = z.strictObject({
  traceId: TraceId,
  /** External id; selects the tenant like the header. */
  tenantId: z.string().optional(),
  includeSensitiveData: z.boolean().default(false),
  /**
   * `skeleton`: the columns instead of the spans; traces.getSpan returns the details. `comparison`: the columns, and what is
   * compared with another trace.
   */
  view: z.enum(['full', 'skeleton', 'comparison']).default('full'),
})
export const Masking = z.object({ maskedValues: z.int(), revealed: z.boolean(), reason: z.string().nullable() })
export const GetTraceOutput = z.object({
  trace: Trace.extend(Counted),
  /** In order of arrival; at most 10,000, and only with `view: full`. */
  spans: z.array(Span),
  skeleton: TraceSkeleton.optional(),
  contents: SpanContents.optional(),
  /** Null without a model call that reports its tokens. */
  usage: TraceUsage.nullable(),
  masking: Masking,
  /** Reads of unmasked values, newest first. */
  seenBy: z.array(Reveal),
  /** Erasures that removed values of the trace; the attributes show `erased`. */
  erased: z.array(Erased),
  lastEventId: z.string(),
})

export const GetSpanInput = z.strictObject({
  traceId: TraceId,
  spanId: SpanId,
  /** External id; selects the tenant like the header. */
  tenantId: z.string().optional(),
  includeSensitiveData: z.boolean().default(false),
})
export const SpanDetail = Span.extend({
  events: z.array(z.object({ name: z.string(), at: Time, attributes: z.array(Attribute) })),
  /** Links to other spans, of this trace or others. */
  links: z.array(z.object({ traceId: TraceId, spanId: SpanId, attributes: z.array(Attribute) })),
  /** What its exporter states about itself: service, host, process. */
  resource: z.array(Attribute),
  /** The facts that the dialects share: model, provider, tool, agent, tokens, service. */
  facts: z.record(z.string(), Json),
  /** The audit record that commits to this span, and its position in the batch. Spans of executions have their execution's records. */
  proof: z.object({ auditId: Id, index: z.int() }).nullable(),
})
export const GetSpanOutput = z.object({
  span: SpanDetail,
  masking: Masking,
  seenBy: z.array(Reveal),
  erased: z.array(Erased),
})

export const GetSpanProofInput = z.strictObject({ traceId: TraceId, spanId: SpanId })
/** lib/verify-span-proof.ts checks it without the server; docs/log.md shows how to do it with sha256sum and openssl. */
export const SpanProof = z.object({
  traceId: TraceId,
  spanId: SpanId,
  /** The text whose leaf hash is SHA-256(0x00 ‖ UTF-8): the span, with commitments in place of its masked values. */
  leaf: z.string(),
  /** The text whose SHA-256 is in the leaf. Null if the span lacks a resource. */
  resource: z.string().nullable(),
  /** Its position in the tree of one request's spans, and the path to the root that the audit record names. */
  batch: z.object({ index: z.int(), size: z.int(), root: Hex32, inclusionProof: z.array(Hex32) }),
  record: AuditProof,
  /** Of the log of the record's day. Compare it with a copy from another source before you trust it. */
  verifierKey: z.string(),
})
export type SpanProof = z.infer<typeof SpanProof>

/** With filters a page may contain fewer items than `limit`, even none, and still have a next page. */
export const ListTracesInput = z.strictObject({
  ...PageInput,
  /** Id of a registered agent. */
  agentId: Id.optional(),
  /** The name of an agent, from telemetry or of a registered agent. */
  agent: z.string().min(1).max(200).optional(),
  status: z.enum(['open', 'ok', 'error']).optional(),
  /** Traces with a span of this kind. */
  kind: SpanKind.optional(),
  /** The trace began in [from, to). */
  from: Time.optional(),
  to: Time.optional(),
  /** Text to find in the names of the trace and its spans. */
  text: z.string().trim().min(1).max(limits.traceText).optional(),
})
export const TraceSummary = Trace.extend(Counted)
export const TraceList = page(TraceSummary)

export const StreamInput = z
  .strictObject({
    traceId: TraceId.optional(),
    executionId: Id.optional(),
    /** The id of the last event received; the stream continues after it. */
    lastEventId: z
      .string()
      .regex(/^\d{1,9}$/)
      .optional(),
  })
  .refine(
    (input) => (input.traceId === undefined) !== (input.executionId === undefined),
    'Give either traceId or executionId.',
  )
/**
 * A model's answer so far, while its span is open: `text` starts at offset `from` of the answer (in UTF-16 code units), and
 * replaces what was there. With `masked`, none of the answer may be shown, including earlier parts. The end of the span carries
 * the whole answer, or none of it; partial texts are not recorded.
 */
export const PartialOutput = z.object({
  type: z.literal('event'),
  name: z.literal('countersign.output.partial'),
  spanId: SpanId,
  from: z.int(),
  text: z.string().optional(),
  masked: z.object({ class: z.string(), length: z.int() }).optional(),
})
export type PartialOutput = z.infer<typeof PartialOutput>

/** The event's id is its number in the trace. A span has its state at the time of reading, not at the time of the event. */
export const TraceEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('span.started'), span: Span }),
  z.object({ type: z.literal('span.ended'), span: Span }),
  /** Has the id of the change before it: a client that reconnects gets the text from its beginning. */
  PartialOutput,
  /** The reader was too slow: reload the trace; the stream continues after this event's id. */
  z.object({ type: z.literal('gap'), missed: z.int() }),
  z.object({ type: z.literal('heartbeat'), at: Time }),
])
export type TraceEvent = z.infer<typeof TraceEvent>

/** A record that is not sealed yet lacks a root. Members left out are taken from the stored record and its proof. */
export const VerifyInput = z.strictObject({
  /** External id; selects the tenant like the header. */
  tenant: z.string().min(1),
  auditId: Id,
  date: Day.optional(),
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

export const UnmaskInput = z.strictObject({
  traceId: TraceId,
  /** Keys of attributes; by default every masked value of the trace. */
  fields: z.array(z.string().min(1).max(256)).min(1).max(50).optional(),
  purpose: z
    .string()
    .trim()
    .min(limits.purpose.min)
    .max(limits.purpose.max)
    .refine(isVisible, 'Must contain visible characters.'),
  justification: Justification,
})
export const UnmaskOutput = z.object({
  grantId: Id,
  /** `pending`: waits for a second person's approval. */
  status: z.enum(['active', 'pending']),
  /** Fifteen minutes after it became active. */
  expiresAt: Time.nullable(),
  approvalId: Id.nullable(),
})
