import { z } from 'zod'
import { Digest, EnvironmentName, Id, JsonObject, Reason, Revision, Time } from './common.ts'
import { BudgetUse, DecisionReason, Effect, Obligation } from './policies.ts'

const call = {
  agentId: Id,
  environment: EnvironmentName,
  action: z.enum(['ToolCall', 'ModelCall']).default('ToolCall'),
  /** `<server>/<tool>` of the release, or `<provider>/<model>`. */
  resource: z.string().regex(/^[^/]{1,200}\/.{1,200}$/, 'a name such as payments/issue_refund'),
  /** Of a tool: its own. Of a model: `{inputCharacters, maxOutputTokens?}`. */
  arguments: JsonObject.default({}),
  /** What only the agent knows of itself. */
  context: z
    .strictObject({
      stepId: z.string().min(1).max(200).optional(),
      toolCalls: z.int().min(0).max(1_000_000).default(0),
    })
    .default({ toolCalls: 0 }),
}

/** What an external agent wants to do; with `approvalId`, what people have approved. */
export const EvaluateInput = z.strictObject({ ...call, approvalId: Id.optional() })
export const RequestApprovalInput = z.strictObject(call)

const answer = {
  decisionId: Id,
  effect: Effect,
  obligations: z.array(Obligation),
  reasons: z.array(DecisionReason),
  /** The versions that could decide. */
  policyVersion: z.array(z.object({ name: z.string(), version: z.int(), digest: Digest })),
}
export const EvaluateOutput = z.object({
  ...answer,
  /** With `allow`: what may leave, after masking. Anything else was not decided on. */
  arguments: JsonObject.optional(),
  /** The approval that was spent on this answer. */
  approvalId: Id.optional(),
})
export const RequestApprovalOutput = z.object({
  ...answer,
  /** Absent unless the effect is `require_approval`. */
  approvalId: Id.optional(),
  payloadDigest: Digest.optional(),
  expiresAt: Time.optional(),
})

const tokenCount = z.int().min(0).max(1_000_000_000)
/** How a call ended that was allowed, by who asked. Without `made` nothing is charged; what is not told, as reserved. */
export const SettleInput = z.strictObject({
  decisionId: Id,
  made: z.boolean(),
  usage: z.strictObject({ inputTokens: tokenCount, outputTokens: tokenCount }).optional(),
  /** What it cost, as a decimal number with at most six places. */
  cost: z
    .strictObject({
      amount: z.string().regex(/^\d{1,12}(?:\.\d{1,6})?$/, 'a number such as 100 or 2.50'),
      currency: z.enum(['USD', 'EUR']),
    })
    .optional(),
})
export const SettleOutput = z.object({ decisionId: Id, settled: z.array(BudgetUse) })

export const CancelApprovalInput = z.strictObject({
  approvalId: Id,
  expectedRevision: Revision.optional(),
  reason: Reason,
})
export const CancelApprovalOutput = z.object({ approvalId: Id, status: z.literal('canceled'), revision: Revision })
