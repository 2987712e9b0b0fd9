import { z } from 'zod'
import { limits } from '#lib/limits.ts'
import { ArgumentView, Money } from '../approvals.ts'
import { Actor, Id, PageInput, page, Reason, Revision, Time } from '../common.ts'

const Argument = z.string().min(1).max(200)
const Amount = z.string().regex(/^\d{1,9}(\.\d{1,6})?$/, 'A decimal number with at most nine digits and six places.')

/**
 * The conditions on calls, beyond the same agent, release, policies, tool and environment. An argument that is not named must
 * equal that of the request.
 */
export const GrantTerms = z.strictObject({
  /** `*` in a pattern is any text. */
  like: z
    .array(
      z.strictObject({
        argument: Argument,
        pattern: z.string().min(1).max(limits.grantPattern),
      }),
    )
    .max(20)
    .default([]),
  /** Arguments that may have any value. */
  any: z.array(Argument).max(50).default([]),
  /** Required where the request has an amount. `argument` has the amount of a call, and its argument `currency` the same currency as the request. */
  ceiling: z.strictObject({ argument: Argument, perCall: Amount, total: Amount }).optional(),
  uses: z.int().min(1).max(limits.grantUses),
  until: Time,
})
export type GrantTerms = z.infer<typeof GrantTerms>

export const PreviewGrantInput = z.strictObject({ approvalId: Id, terms: GrantTerms.optional() })

/** An argument of the request. `masked` ones can only be equal or free. */
export const GrantArgument = z.object({
  argument: z.string(),
  value: ArgumentView.shape.value,
  masked: z.boolean(),
  /** Whether a pattern can be given: a text that is not masked. */
  text: z.boolean(),
})

/** What the terms would have meant for the requests of the last 90 days for the same action, at most 200. */
export const GrantSimulation = z.object({
  requests: z.int(),
  /** Those that would have needed no person, and how people decided them. */
  matched: z.int(),
  approved: z.int(),
  rejected: z.int(),
  /** Of those matched, as a decimal number in the grant's currency. Null without a ceiling. */
  total: z.string().nullable(),
  /** Those matched that people rejected, the last ones first, at most ten. */
  refused: z.array(z.object({ approvalId: Id, title: z.string(), requestedAt: Time })),
})
export type GrantSimulation = z.infer<typeof GrantSimulation>

export const PreviewGrantOutput = z.object({
  /** Why the caller can't propose a grant from this request. */
  blocked: z.string().nullable(),
  arguments: z.array(GrantArgument),
  /** The request's amount, and the argument that has it. */
  amount: Money.extend({ argument: z.string() }).nullable(),
  /** Why these terms can’t be proposed. */
  problem: z.string().nullable(),
  /** Null without `terms`, and for terms with a problem. */
  simulation: GrantSimulation.nullable(),
})

export const ProposeGrantInput = z.strictObject({ approvalId: Id, terms: GrantTerms, reason: Reason })
export const ProposeGrantOutput = z.object({
  grantId: Id,
  /** The request by which a second person decides it, with `approvals.decide`. */
  approvalId: Id,
  status: z.literal('proposed'),
  simulation: GrantSimulation,
})
export type ProposeGrantOutput = z.infer<typeof ProposeGrantOutput>

export const RevokeGrantInput = z.strictObject({
  grantId: Id,
  reason: Reason,
  /** A proposal is withdrawn, and an active grant revoked: with this, only if it still has the status that the caller has seen. */
  expectedStatus: z.enum(['proposed', 'active']).optional(),
})
export type RevokeGrantInput = z.infer<typeof RevokeGrantInput>
export const RevokeGrantOutput = z.object({ grantId: Id, status: z.enum(['revoked', 'withdrawn']), revision: Revision })

export const GrantStatus = z.enum([
  'proposed',
  'active',
  'used_up',
  'expired',
  'revoked',
  'lapsed',
  'rejected',
  'withdrawn',
])
export type GrantStatus = z.infer<typeof GrantStatus>

export const StandingGrant = z.object({
  id: Id,
  status: GrantStatus,
  /** Why it lapsed: the agent was suspended, or the release, a policy or a person’s role ended. */
  lapse: z.enum(['agent', 'release', 'policy', 'member']).nullable(),
  title: z.string(),
  agent: z.object({ id: Id, name: z.string(), displayName: z.string() }),
  environment: z.string(),
  resource: z.string(),
  /** The conditions on calls, for each argument: `{"$condition": "any" | "like" | "at most", …}`, or the value that it must have. */
  arguments: z.array(ArgumentView),
  uses: z.int(),
  maxUses: z.int(),
  /** Decimal numbers. Null without a ceiling. */
  spent: z.object({ currency: z.string(), total: z.string(), max: z.string() }).nullable(),
  until: Time,
  createdAt: Time,
  decidedAt: Time.nullable(),
  endedAt: Time.nullable(),
  proposedBy: Actor,
  approvedBy: Actor.nullable(),
  /** The request by which it is decided, and the approved request that it was proposed from. */
  approvalId: Id,
  sourceId: Id,
  revision: Revision,
})
export type StandingGrant = z.infer<typeof StandingGrant>

export const ListGrantsInput = z.strictObject({
  ...PageInput,
  agentId: Id.optional(),
  status: GrantStatus.optional(),
})
export const GrantList = page(StandingGrant)

/** The last ones first; the cursor is a number. */
export const ListGrantUsesInput = z.strictObject({
  ...PageInput,
  cursor: z
    .string()
    .regex(/^\d{1,4}$/, 'Not a cursor of this list.')
    .optional(),
  grantId: Id,
})
export const GrantUse = z.object({
  number: z.int(),
  usedAt: Time,
  decisionId: Id,
  /** Null for an agent elsewhere. */
  executionId: Id.nullable(),
  /** A decimal number. Null without a ceiling. */
  amount: z.string().nullable(),
  auditId: Id,
})
export type GrantUse = z.infer<typeof GrantUse>
export const GrantUseList = page(GrantUse)
