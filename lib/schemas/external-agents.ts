import { z } from 'zod'
import { Digest, EnvironmentName, Id, JsonObject, Reason, Revision, Time } from './common.ts'
import { BudgetUse, DecisionReason, Effect, Obligation } from './policies.ts'

const call = {
  agentId: Id,
  environment: EnvironmentName,
  action: z.enum(['ToolCall', 'ModelCall']).default('ToolCall'),
  /** `<server>/<tool>` of the release, or `<provider>/<model>`. */
  resource: z.string().regex(/^[^/]{1,200}\/.{1,200}$/, 'Must be a name such as payments/issue_refund.'),
  /** For a tool: the tool's arguments. For a model: `{inputCharacters, maxOutputTokens?}`. */
  arguments: JsonObject.default({}),
  /** Facts that only the agent knows. */
  context: z
    .strictObject({
      stepId: z.string().min(1).max(200).optional(),
      toolCalls: z.int().min(0).max(1_000_000).default(0),
    })
    .default({ toolCalls: 0 }),
}

/** The call that an external agent wants to make; with `approvalId`, a call that people have approved. */
export const EvaluateInput = z.strictObject({ ...call, approvalId: Id.optional() })
/** `supersedes`: the request of which a reviewer wanted changes. */
export const RequestApprovalInput = z.strictObject({ ...call, supersedes: Id.optional() })

const answer = {
  decisionId: Id,
  effect: Effect,
  obligations: z.array(Obligation),
  reasons: z.array(DecisionReason),
  /** The versions that could decide the call. */
  policyVersion: z.array(z.object({ name: z.string(), version: z.int(), digest: Digest })),
}
export const EvaluateOutput = z.object({
  ...answer,
  /** With `allow`: the arguments that may be sent, after masking. The decision covers no others. */
  arguments: JsonObject.optional(),
  /** The approval that this decision used up. */
  approvalId: Id.optional(),
  /** The standing grant of which this decision took a use, in place of an approval. */
  standingGrantId: Id.optional(),
})
export const RequestApprovalOutput = z.object({
  ...answer,
  /** Absent unless the effect is `require_approval`. */
  approvalId: Id.optional(),
  payloadDigest: Digest.optional(),
  expiresAt: Time.optional(),
})

const tokenCount = z.int().min(0).max(1_000_000_000)
/**
 * How an allowed call ended, as reported by the caller that requested the decision. Nothing is charged if `made` is
 * false; values left out are charged as reserved.
 */
export const SettleInput = z.strictObject({
  decisionId: Id,
  made: z.boolean(),
  usage: z.strictObject({ inputTokens: tokenCount, outputTokens: tokenCount }).optional(),
  /** The cost, as a decimal number with at most six places. */
  cost: z
    .strictObject({
      amount: z.string().regex(/^\d{1,12}(?:\.\d{1,6})?$/, 'Must be a number such as 100 or 2.50.'),
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
