import { z } from 'zod'
import { limits } from '#lib/limits.ts'
import { ApprovalStatus, ArgumentView, Money } from './approvals.ts'
import {
  Actor,
  ById,
  EnvironmentName,
  Id,
  Json,
  JsonObject,
  PageInput,
  page,
  Reason,
  Revision,
  Time,
  TraceId,
} from './common.ts'
import { Erased } from './erased.ts'

export const ExecutionStatus = z.enum([
  'queued',
  'running',
  'waiting_approval',
  'waiting_input',
  'succeeded',
  'failed',
  'denied',
  'rejected',
  'expired',
  'timed_out',
  'canceled',
  'indeterminate',
])
export type ExecutionStatus = z.infer<typeof ExecutionStatus>

export const ExecuteInput = z.strictObject({
  agentId: Id,
  environment: EnvironmentName,
  input: JsonObject,
  idempotencyKey: z.string().min(1).max(200).optional(),
})
export const ExecuteOutput = z.object({ executionId: Id, status: ExecutionStatus, traceId: TraceId })

export const StepView = z.object({
  id: z.string(),
  kind: z.enum(['tool', 'wait', 'model']),
  title: z.string(),
  /**
   * `calling` in an execution that has ended: the outcome of the call is unknown. `skipped` without `endedAt`: the execution ended before
   * the call was made, or the input came; with it, the step's condition did not hold.
   */
  status: z.enum([
    'pending',
    'decided',
    'waiting_approval',
    'waiting_input',
    'approved',
    'calling',
    'succeeded',
    'failed',
    'skipped',
  ]),
  approvalId: Id.nullable(),
  startedAt: Time.nullable(),
  endedAt: Time.nullable(),
})
export type StepView = z.infer<typeof StepView>
/** `amount`: null if the call does not have one, or it is masked. */
export const ExecutionEffect = z.object({ title: z.string(), amount: Money.nullable() })
export type ExecutionEffect = z.infer<typeof ExecutionEffect>
/** `by` and `reason`: of the last vote, if people decided. */
export const ExecutionDecision = z.object({
  approvalId: Id,
  status: ApprovalStatus,
  by: Actor.nullable(),
  reason: z.string().nullable(),
})
export type ExecutionDecision = z.infer<typeof ExecutionDecision>

export const ExecutionSummary = z.object({
  id: Id,
  agentId: Id,
  agentName: z.string(),
  agentDisplayName: z.string(),
  agentVersion: z.string(),
  environment: EnvironmentName,
  status: ExecutionStatus,
  traceId: TraceId,
  startedBy: Actor,
  revision: Revision,
  createdAt: Time,
  endedAt: Time.nullable(),
  /** From its request to its end; null until then. */
  durationMs: z.int().min(0).nullable(),
  /**
   * What it does: "Issue refund of €59.90 for A-1003", from the request of its approval, or else from its first call that changes
   * something, or else from its input. Masked like them. Null if none of them says it, and after an erasure.
   */
  effect: ExecutionEffect.nullable(),
  /** The first values of the input, masked and shortened; empty after an erasure. */
  inputShown: z.array(ArgumentView),
  /** How many more values the input has. Absent in answers of the version before. */
  inputOmitted: z.int().min(0).optional(),
  /** Of its newest request for approval. Null without one, and for callers that may not list approvals. */
  decision: ExecutionDecision.nullable(),
  /** When a stop was requested, and when it was confirmed. */
  stopRequestedAt: Time.nullable(),
  stopConfirmedAt: Time.nullable(),
})
export type ExecutionSummary = z.infer<typeof ExecutionSummary>
/** Inputs and outputs are masked at the manifest's sensitive paths, like all content that people read. */
export const Execution = ExecutionSummary.extend({
  releaseId: Id,
  input: Json,
  output: Json.nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  /** Of all its model calls; `cost` includes the reservation for a call in flight, and is null without prices. */
  usage: z.object({
    modelCalls: z.int().min(0),
    inputTokens: z.int().min(0),
    outputTokens: z.int().min(0),
    cost: z.object({ amount: z.string(), currency: z.string() }).nullable(),
  }),
  steps: z.array(StepView),
  startedAt: Time.nullable(),
  deadlineAt: Time.nullable(),
  /** Since when its deadlines are paused, because the agent is suspended. */
  parkedAt: Time.nullable(),
  /** Removals of its content: erased texts read "[erased]", content removed by retention is null. */
  erased: z.array(Erased),
})
export type Execution = z.infer<typeof Execution>
export const GetExecutionInput = ById
/**
 * `status`: one of these states. `startedBy`: a member. `from`, `to`: started at `from` or later, and before `to`.
 * `stopRequested`: executions with, or without, a requested stop.
 */
export const ListExecutionsInput = z.strictObject({
  ...PageInput,
  agentId: Id.optional(),
  status: z.array(ExecutionStatus).min(1).max(ExecutionStatus.options.length).optional(),
  environment: EnvironmentName.optional(),
  startedBy: Id.optional(),
  from: Time.optional(),
  to: Time.optional(),
  /**
   * Its id, the id of its trace, or words of its requests for approval, of which the newest 200 that match are searched. Words need
   * the permission approval:list.
   */
  q: z.string().trim().min(1).max(limits.searchText).optional(),
  /** Only these, such as those of a list of traces. */
  ids: z.array(Id).min(1).max(limits.pageRows).optional(),
  sort: z.enum(['newest', 'oldest']).default('newest'),
  stopRequested: z.boolean().optional(),
})
export const ExecutionList = page(ExecutionSummary)

/** `seq` counts from 1 without gaps within one execution. */
export const ExecutionEvent = z.object({
  seq: z.int().min(1),
  type: z.string(),
  stepId: z.string().nullable(),
  data: Json,
  at: Time,
})
export type ExecutionEvent = z.infer<typeof ExecutionEvent>
export const GetEventsInput = z.strictObject({
  id: Id,
  afterSeq: z.int32().min(0).default(0),
  limit: z.int().min(1).max(200).default(200),
})
export const GetEventsOutput = z.object({ items: z.array(ExecutionEvent), nextCursor: z.string().nullable() })

export const CancelExecutionInput = z.strictObject({ id: Id, expectedRevision: Revision, reason: Reason })
/** `stopConfirmedAt` is null until it is certain that nothing is running; for an indeterminate execution it stays null. */
export const CancelExecutionOutput = z.object({
  id: Id,
  status: ExecutionStatus,
  revision: Revision,
  stopRequestedAt: Time.nullable(),
  stopConfirmedAt: Time.nullable(),
})
