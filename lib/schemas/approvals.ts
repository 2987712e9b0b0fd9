import { z } from 'zod'
import { Canceled } from './approvals/canceled.ts'
import { CallingProgram } from './approvals/program.ts'
import { Question } from './approvals/questions.ts'
import { Reading } from './approvals/reading.ts'
import { Changes, Superseded } from './approvals/revisions.ts'
import { ApprovalClock, ApprovalStage } from './approvals/terms.ts'
import { UsualRange } from './approvals/usual.ts'
import { Actor, Digest, Id, Json, PageInput, page, Reason, Revision, RiskTier, Time, TraceId } from './common.ts'
import { Erased } from './erased.ts'
import { Assertion, Confirmation } from './passkeys.ts'

export const ApprovalStatus = z.enum(['pending', 'approved', 'rejected', 'expired', 'canceled'])
export type ApprovalStatus = z.infer<typeof ApprovalStatus>
/** What an approval can be about. Each domain registers the effect of a decision in server/jobs.ts. */
export const ApprovalKind = z.enum([
  'tool_call',
  'external_call',
  'release',
  'policy_binding',
  'role_grant',
  'group_change',
  'setting_change',
  'password_reset',
  'unmask',
  'standing_grant',
])
export type ApprovalKind = z.infer<typeof ApprovalKind>
export const Decision = z.enum(['approve', 'reject', 'escalate'])
export type Decision = z.infer<typeof Decision>

/** One argument as shown to a reviewer; a masked one shows its class and length only. */
export const ArgumentView = z.object({
  path: z.string(),
  value: Json.optional(),
  masked: z.object({ class: z.string(), length: z.int() }).optional(),
})
export type ArgumentView = z.infer<typeof ArgumentView>

/** What the run knows about the object. `value` is null if it is unknown or masked; `from`: `input`, or ids of steps. */
export const CardFact = z.object({
  label: z.string(),
  value: z.string().nullable(),
  masked: ArgumentView.shape.masked,
  from: z.array(z.string()),
})
export type CardFact = z.infer<typeof CardFact>

/** The manifest's `approvalCard`, filled in when the request was made. */
export const Card = z.object({
  title: z.string().nullable(),
  facts: z.array(CardFact),
  links: z.array(z.object({ label: z.string(), url: z.string(), host: z.string() })),
})
export type Card = z.infer<typeof Card>

/** `value`: a decimal string. `currency`: an ISO 4217 code. */
export const Money = z.object({ value: z.string(), currency: z.string() })
export type Money = z.infer<typeof Money>

/** The content of the approval page, fixed when the request was made. */
export const Presentation = z.object({
  /** A sentence: verb, object, target. */
  title: z.string(),
  /** The effect in words for the button: "refund of €4,200.00". */
  effectLabel: z.string(),
  verb: z.string(),
  /** What happens on approval, in order. */
  effects: z.array(z.string()),
  onReject: z.string(),
  onExpiry: z.string(),
  onEscalate: z.string(),
  reversible: z.boolean(),
  irreversibleNote: z.string().nullable(),
  risk: RiskTier,
  action: z.string(),
  resource: z.string(),
  /** Null if the request is not about an agent but changes people, groups or settings. */
  environment: z.string().nullable(),
  arguments: z.array(ArgumentView),
  /** Absent without a card in the manifest, and for requests from before there were any. */
  card: Card.optional(),
  agent: z.object({ id: Id, name: z.string(), displayName: z.string(), version: z.string() }).nullable(),
  policy: z
    .object({
      name: z.string(),
      version: z.int(),
      rule: z.string(),
      message: z.string().nullable(),
      source: z.string().nullable(),
      /** When the rule applies, as a sentence. Absent if it can't be said completely, and for earlier requests. */
      words: z.string().optional(),
    })
    .nullable(),
  executionId: Id.nullable(),
  traceId: TraceId.nullable(),
  /** "step 3 of 3", if it belongs to an execution. */
  position: z.string().nullable(),
  /** For a release: its content. For a binding: the policy's source. For a change of access: the change. */
  subject: Json.nullable(),
})
export type Presentation = z.infer<typeof Presentation>

export const Vote = z.object({
  by: Actor,
  /** The delegator, if a delegate voted. */
  onBehalfOf: Actor.optional(),
  decision: Decision,
  reason: z.string(),
  at: Time,
  escalationLevel: z.int(),
  /** The index of the stage in which it was given, among the request's stages. */
  stage: z.int(),
  auditId: Id,
  /** The data that the approver's passkey signed. */
  confirmation: Confirmation.optional(),
})

/** `approved`: the last one that was approved before this request was decided. `pending`: how many others are pending, at most 100. */
export const Repeats = z.object({
  approved: z.object({ approvalId: Id, decidedAt: Time }).nullable(),
  pending: z.int(),
})

const BlockedCode = z.enum([
  'separation_of_duties',
  'forbidden',
  'not_eligible',
  'machine_decision',
  'already_voted',
  'already_decided',
])

export const ApprovalSummary = z.object({
  approvalId: Id,
  kind: ApprovalKind,
  status: ApprovalStatus,
  title: z.string(),
  /** The title of the manifest's card, which the agent's author wrote; absent without one. */
  cardTitle: z.string().optional(),
  risk: Presentation.shape.risk,
  /** The agent that asks, and its version. */
  agentId: Id.nullable(),
  agentName: z.string().nullable(),
  agentVersion: z.string().nullable(),
  environment: z.string().nullable(),
  /** "tool.call", "release", …: what the request asks for, and of what: "payments/issue_refund". */
  action: z.string(),
  resource: z.string(),
  /** SHA-256 of the exact payload, which a decision binds. */
  payloadDigest: Digest,
  /** The arguments `amount` and `currency`, if they are an amount of money and not masked. */
  amount: Money.nullable(),
  /** The facts of the manifest's card. */
  facts: z.array(CardFact),
  requestedBy: Actor,
  /** The program that made the call in their name; absent for a request that did not come over MCP. */
  program: CallingProgram.optional(),
  requestedAt: Time,
  expiresAt: Time,
  /** An open question or the suspension of its agent stops the clock: then it does not expire at that time. */
  clockStopped: z.boolean(),
  group: z.string(),
  eligible: z.boolean(),
  ineligibleReason: z.string().nullable(),
  /** The code of that reason, as of a refused decision. */
  ineligibleCode: BlockedCode.nullable(),
  revision: Revision,
  /** Null while no one has decided; for expired and canceled requests, too. */
  decidedAt: Time.nullable(),
  decidedBy: Actor.nullable(),
  /** The reason of the last vote. */
  reason: z.string().nullable(),
  /** Who canceled it; absent for a request that is not canceled. */
  canceled: Canceled.optional(),
  /** The record of the decision. */
  auditId: Id.nullable(),
  /** Whether this record is covered by a signed checkpoint. */
  seal: z.enum(['none', 'pending', 'sealed']),
  /** When the approved call began; null for other requests, and before. */
  usedAt: Time.nullable(),
  /** Other requests for the same action on the same object; null if there are none. */
  repeats: Repeats.nullable(),
})
export type ApprovalSummary = z.infer<typeof ApprovalSummary>

/** Why the caller may not approve or escalate; `separation_of_duties` comes before `not_eligible`. */
export const Blocked = z.object({
  code: BlockedCode,
  message: z.string(),
})
export type Blocked = z.infer<typeof Blocked>

export const Approval = ApprovalSummary.extend({
  /** The subject of the request: the release, the binding, the execution's call. */
  subjectId: Id,
  presentation: Presentation,
  /**
   * The digest of what runs, with a salt. `payloadDigest` is the SHA-256 of the JCS form of `{content: contentDigest, shown:
   * presentation}`. Null for requests of earlier versions, whose `payloadDigest` binds only what runs, and for erased ones.
   */
  contentDigest: Digest.nullable(),
  /** How many people of the current stage must approve, and how many have. */
  quorum: z.int(),
  approvalsSoFar: z.int(),
  stages: z.array(ApprovalStage),
  clock: ApprovalClock,
  /** Why it ended as `canceled`, if a reviewer requested changes. */
  changes: Changes.nullable(),
  /** The request that this one replaces, whose votes do not count here. */
  supersedes: Superseded.nullable(),
  escalationLevel: z.int(),
  groupMembers: z.array(Actor),
  /** Who can decide it now in the place of an absent member of the group. */
  delegates: z.array(z.object({ by: Actor, onBehalfOf: Actor })),
  votes: z.array(Vote),
  questions: z.array(Question),
  /** Whether the caller may answer them, as one of those who made the request. */
  mayAnswer: z.boolean(),
  /** Why the caller may not approve or escalate. */
  blocked: Blocked.nullable(),
  /** Whether the caller may reject, as those who caused the request may too. */
  mayReject: z.boolean(),
  /** Whether the caller's approval requires their passkey; `missing`: it does, but they have not registered one. */
  passkey: z.enum(['not_needed', 'needed', 'missing']),
  /** The time to read before the caller can approve; null if the tenant requires none at this risk. */
  reading: Reading.nullable(),
  /** The approver as whose delegate the caller would vote. */
  standsInFor: Actor.optional(),
  /** Erasures of its content: erased texts read "[erased]". */
  erased: z.array(Erased),
})
export type Approval = z.infer<typeof Approval>

export const GetPendingInput = z.strictObject({
  ...PageInput,
  view: z.enum(['all', 'needs-me', 'mine', 'expiring']).default('all'),
})
/** `decided`: every state except pending. With `status`, both conditions apply. */
export const ListApprovalsInput = z.strictObject({
  ...PageInput,
  status: ApprovalStatus.optional(),
  view: z.enum(['all', 'decided']).default('all'),
})
export const ApprovalList = page(ApprovalSummary)
export const GetApprovalInput = z.strictObject({ approvalId: Id })

export const ApprovalHistoryInput = z.strictObject({ approvalId: Id })
/** Requests that people decided before this one, the last ones first. */
export const ApprovalHistory = z.object({
  /** The same action on the same object: at most ten. */
  sameObject: z.array(ApprovalSummary),
  /** The same action in the same environment: at most ten. */
  sameShape: z.array(ApprovalSummary),
  /** Of `amounts`: the middle one, and the bounds between which eight of ten lie. Null with fewer than five. */
  usual: UsualRange.extend({
    /** In ascending order: of those approved among the last 200 of this shape. */
    amounts: z.array(z.string()),
  }).nullable(),
})
export type ApprovalHistory = z.infer<typeof ApprovalHistory>

/** `lastEventId` is a revision: only newer events are sent. */
export const WatchApprovalInput = z.strictObject({
  approvalId: Id,
  lastEventId: z
    .string()
    .regex(/^\d{1,9}$/, 'Not a valid event id.')
    .optional(),
})
/** The last `approval` event has a status that is not pending. */
export type ApprovalEvent = { type: 'approval'; approval: ApprovalSummary } | { type: 'heartbeat'; at: string }

export const DecideInput = z.strictObject({
  approvalId: Id,
  decision: Decision,
  decisionAcknowledged: z.literal(true, 'Acknowledge the decision: decisionAcknowledged must be true.'),
  reason: Reason,
  expectedRevision: Revision.optional(),
  payloadDigest: Digest.optional(),
  /** The approver's passkey, over a challenge of passkeys.beginConfirmation (act `approve`). */
  passkey: Assertion.optional(),
})
export type DecideInput = z.infer<typeof DecideInput>
export const DecideOutput = z.object({
  approvalId: Id,
  status: ApprovalStatus,
  votes: z.int(),
  escalationLevel: z.int(),
  decisionId: Id,
  auditId: Id,
  revision: Revision,
  /** The delegator, if a delegate voted. */
  onBehalfOf: z.object({ id: Id, displayName: z.string() }).optional(),
  /** The passkey that confirmed the vote, and the digest of the signed data. */
  confirmation: z.object({ passkeyId: Id, digest: Digest }).optional(),
})
export type DecideOutput = z.infer<typeof DecideOutput>
