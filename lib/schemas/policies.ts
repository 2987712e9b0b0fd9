import { z } from 'zod'
import { limits } from '#lib/limits.ts'
import {
  Actor,
  Digest,
  EnvironmentName,
  Id,
  PageInput,
  PlacedIssue,
  page,
  Reason,
  Revision,
  SlugName,
  Time,
} from './common.ts'

export const CreatePolicyInput = z.strictObject({
  name: SlugName,
  description: z.string().max(limits.policyDescription).default(''),
  /** Its first version, stored as a draft in the same transaction. */
  source: z.string().min(1).optional(),
})
export const Policy = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  latestPublishedVersion: z.int().nullable(),
  createdBy: Actor,
  createdAt: Time,
})
export const PolicyList = page(Policy)
export const ListPoliciesInput = z.strictObject(PageInput)
export type Policy = z.infer<typeof Policy>

/** A policy text to check without storing it. */
export const CheckPolicyInput = z.strictObject({ source: z.string().max(1_000_000) })
export const CheckPolicyOutput = z.object({
  problems: z.array(PlacedIssue),
  /** Groups that could not approve now: they don't exist, or have too few members. Missing from a server of the version before. */
  warnings: z.array(PlacedIssue).optional(),
})

export const CreatePolicyVersionInput = z.strictObject({ policyId: Id, source: z.string().min(1) })
export const PolicyVersion = z.object({
  policyId: Id,
  version: z.int(),
  source: z.string(),
  digest: Digest,
  status: z.enum(['draft', 'published']),
  createdBy: Actor,
  createdAt: Time,
  publishedAt: Time.nullable(),
})
export type PolicyVersion = z.infer<typeof PolicyVersion>
/** Newest first; the cursor is a version number. */
export const ListPolicyVersionsInput = z.strictObject({
  policyId: Id,
  limit: PageInput.limit,
  cursor: z
    .string()
    .regex(/^\d{1,9}$/, 'Must be a version number.')
    .optional(),
})
/** A policy with its newest 50 versions. */
export const PolicyDetail = Policy.extend({ versions: z.array(PolicyVersion) })
export const PolicyVersionList = page(PolicyVersion)
export const PublishPolicyVersionInput = z.strictObject({ policyId: Id, version: z.int32().min(1) })

export const BindingStatus = z.enum(['proposed', 'active', 'superseded', 'revoked', 'rejected', 'withdrawn'])
/** Labels that an agent's manifest must carry, all of them. */
export const LabelSelector = z
  .record(z.string().min(1).max(100), z.string().max(200))
  .refine((labels) => Object.keys(labels).length > 0, 'Add at least one label.')
  .refine((labels) => Object.keys(labels).length <= 10, 'Use at most 10 labels.')
export type LabelSelector = z.infer<typeof LabelSelector>
/** For one agent, or for all agents with these labels. */
export const ProposeBindingInput = z
  .strictObject({
    agentId: Id.optional(),
    selector: LabelSelector.optional(),
    environment: EnvironmentName,
    policyId: Id,
    policyVersion: z.int32().min(1),
    mode: z.enum(['enforce', 'shadow']).default('enforce'),
  })
  .refine((input) => (input.agentId === undefined) !== (input.selector === undefined), {
    path: ['agentId'],
    message: 'Give either agentId or selector.',
  })
export const ProposeBindingOutput = z.object({ bindingId: Id, approvalId: Id, status: BindingStatus })
export const ListBindingsInput = z.strictObject({
  ...PageInput,
  /** Bindings of this agent itself; leave it out to include bindings by label. */
  agentId: Id.optional(),
  policyId: Id.optional(),
  environment: EnvironmentName.optional(),
  status: BindingStatus.optional(),
})
export const Binding = z.object({
  id: Id,
  /** Null for a binding by label. */
  agentId: Id.nullable(),
  agentName: z.string().nullable(),
  selector: LabelSelector.nullable(),
  environment: EnvironmentName,
  policyId: Id,
  policyName: z.string(),
  policyVersion: z.int(),
  mode: z.enum(['enforce', 'shadow']),
  status: BindingStatus,
  approvalId: Id,
  proposedBy: Actor,
  revision: Revision,
  createdAt: Time,
  decidedAt: Time.nullable(),
})
export type Binding = z.infer<typeof Binding>
export const BindingList = page(Binding)
/** Withdraws a proposed binding, or revokes an active one. */
export const EndBindingInput = z.strictObject({ id: Id, expectedRevision: Revision, reason: Reason })
export const EndBindingOutput = z.object({ id: Id, status: BindingStatus, revision: Revision })

/** A recorded decision of the decision point. */
export const Effect = z.enum(['allow', 'deny', 'require_approval'])
export const Obligation = z.object({
  kind: z.string(),
  policyRule: z.string(),
  parameters: z.record(z.string(), z.string()),
})
export type Obligation = z.infer<typeof Obligation>
/** The reason: the determining rule, its policy and version, and its message for people. */
export const DecisionReason = z.object({
  policyId: z.string(),
  policyName: z.string(),
  policyVersion: z.int(),
  rule: z.string(),
  code: z.string().nullable(),
  message: z.string().nullable(),
  source: z.string().nullable(),
})
export type DecisionReason = z.infer<typeof DecisionReason>
/** The part of a decision that a recomputation must reproduce. */
export const DecisionFacts = z.object({
  effect: Effect,
  obligations: z.array(Obligation),
  reasons: z.array(DecisionReason),
  policies: z.array(z.object({ policyId: z.string(), name: z.string(), version: z.int(), digest: Digest })),
  inputDigest: Digest,
})
export type DecisionFacts = z.infer<typeof DecisionFacts>

export const budgetScopes = ['execution', 'agent', 'environment', 'tenant'] as const
export type BudgetScope = (typeof budgetScopes)[number]
export const budgetUnits = ['calls', 'tokens', 'USD', 'EUR'] as const
export type BudgetUnit = (typeof budgetUnits)[number]
export const BudgetUnit = z.enum(budgetUnits)
/** What one call used of one budget, as decimal numbers of its unit. */
export const BudgetUse = z.object({
  policyId: Id,
  rule: z.string(),
  unit: BudgetUnit,
  reserved: z.string(),
  charged: z.string(),
})
export type BudgetUse = z.infer<typeof BudgetUse>

/** The budgets that a policy's rules require, in current windows. */
export const ListBudgetsInput = z.strictObject({ ...PageInput, policyId: Id })
export const Budget = z.object({
  id: Id,
  rule: z.string(),
  scope: z.enum(budgetScopes),
  /** The agent, environment or execution that it counts for; null for a wider scope. */
  environment: EnvironmentName.nullable(),
  agentId: Id.nullable(),
  agentName: z.string().nullable(),
  executionId: Id.nullable(),
  unit: BudgetUnit,
  /** Decimal numbers of the unit. `limit` is the last one applied; `used` includes reservations. */
  limit: z.string(),
  used: z.string(),
  reserved: z.string(),
  startsAt: Time,
  /** Null if the budget never resets. */
  endsAt: Time.nullable(),
})
export type Budget = z.infer<typeof Budget>
export const BudgetList = page(Budget)

export const RecomputeInput = z.strictObject({ decisionId: Id })
export const RecomputeOutput = z.object({
  decisionId: Id,
  decidedAt: Time,
  agentId: Id,
  agentName: z.string(),
  environment: EnvironmentName,
  /** Null if an external agent requested the decision. */
  executionId: Id.nullable(),
  stepId: z.string().nullable(),
  action: z.string(),
  resource: z.string(),
  /** Every byte of the decision was reproduced. */
  same: z.boolean(),
  recorded: DecisionFacts,
  computed: DecisionFacts,
})

/**
 * Evaluates a stored version, draft or published, on the decisions recorded in [from, to). In each decision it replaces the
 * version of the same policy that decided, or is added to the others. Each page evaluates at most `limit` decisions.
 */
export const SimulateInput = z
  .strictObject({
    policyId: Id,
    version: z.int32().min(1),
    environment: EnvironmentName,
    agentId: Id.optional(),
    from: Time,
    to: Time,
    limit: z.int().min(1).max(500).default(200),
    cursor: Id.optional(),
  })
  .refine((input) => input.from < input.to, { path: ['to'], message: 'The end must be after the beginning.' })
export const SimulateOutput = z.object({
  /** The number of recomputed decisions on this page. */
  evaluated: z.int(),
  /** Decisions on this page that could not be recomputed: their requests were erased, or deleted by age. */
  notStored: z.int().optional(),
  changed: z.int(),
  /**
   * The number of changes of each kind; those that would no longer be denied come first. `before` and `after` are the same where other
   * people would approve, or other values would be masked.
   */
  flips: z.array(z.object({ before: Effect, after: Effect, count: z.int() })),
  /** All changed decisions of this page, in the same order, then newest first. */
  items: z.array(
    z.object({
      decisionId: Id,
      decidedAt: Time,
      agentId: Id,
      action: z.string(),
      resource: z.string(),
      before: Effect,
      after: Effect,
      reasonsBefore: z.array(DecisionReason),
      reasonsAfter: z.array(DecisionReason),
    }),
  ),
  /** Older decisions of the period; null when all have been evaluated. */
  nextCursor: z.string().nullable(),
})
export type SimulateOutput = z.infer<typeof SimulateOutput>

/** Recorded decisions in [from, to) that match all of these filters. */
export const ListDecisionsInput = z
  .strictObject({
    ...PageInput,
    /** A rule of this policy, in any version, determined the decision. */
    policyId: Id.optional(),
    agentId: Id.optional(),
    environment: EnvironmentName.optional(),
    effect: Effect.optional(),
    from: Time.optional(),
    to: Time.optional(),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from < to, {
    path: ['to'],
    message: 'The end must be after the beginning.',
  })
/**
 * Newest first. `searched` is how many decisions a page searches at most: a page can contain fewer items than `limit`, or
 * none, and still have a cursor.
 */
export const DecisionList = page(
  z.object({
    decisionId: Id,
    decidedAt: Time,
    agentId: Id,
    agentName: z.string(),
    environment: EnvironmentName,
    executionId: Id.nullable(),
    stepId: z.string().nullable(),
    action: z.string(),
    resource: z.string(),
    effect: Effect,
    /** With `policyId`: only reasons from this policy. */
    reasons: z.array(DecisionReason),
  }),
).extend({ searched: z.int() })
