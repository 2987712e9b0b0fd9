import type { Failure } from '#lib/failure.ts'
import { limits } from '#lib/limits.ts'
import type { Approval, ApprovalStatus, Blocked, Decision } from '#lib/schemas/approvals.ts'
import type { Assertion } from '#lib/schemas/passkeys.ts'

/** The server's limit, in characters. */
export const reasonLimit = limits.reason

/** The form's content. The acknowledgement is never stored, because it applies to the request as shown on the page. */
export type Draft = { decision: Decision | undefined; reason: string; acknowledged: boolean }
export const emptyDraft: Draft = { decision: undefined, reason: '', acknowledged: false }

/** One decision as it is sent. The same content keeps its idempotency key, so that sending it again records it once. */
export type Attempt = {
  idempotencyKey: string
  approvalId: string
  decision: Decision
  reason: string
  expectedRevision: number
  payloadDigest: string
  /** Whether the person's device signs the decision before it is sent. */
  confirms: boolean
  passkey?: Assertion
}

/** The record of a decision of this person. */
export type Recorded = {
  decision: Decision
  reason: string
  auditId: string
  at: string | undefined
  /** The request needed more decisions after this one. */
  waits: boolean
}

/** The progress of the decision. Owned by the reducer below; the page is derived from it and the conditions. */
type Phase =
  | { is: 'editing'; problem?: Failure; notRecorded?: true }
  | { is: 'submitting' }
  /** The answer was lost. The request is read until the outcome is known. */
  | { is: 'unknown' }
  | { is: 'recorded'; record: Recorded }
  /** Another reviewer changed the request while this person was deciding. */
  | { is: 'conflict' }
  | { is: 'drifted' }
  | { is: 'rate-limited'; until: number }

export type Machine = {
  /** Member id of the person. */
  me: string
  /** The request as shown on the page. A decision binds this version. */
  shown: Approval | undefined
  /** The latest version; differs from `shown` while the person has changes to review. */
  latest: Approval | undefined
  draft: Draft
  phase: Phase
  attempt: Attempt | undefined
}

export const initial = (me: string): Machine => ({
  me,
  shown: undefined,
  latest: undefined,
  draft: emptyDraft,
  phase: { is: 'editing' },
  attempt: undefined,
})

export type Event =
  | { type: 'loaded'; approval: Approval }
  | { type: 'restored'; draft: Pick<Draft, 'decision' | 'reason'> }
  | { type: 'edited'; draft: Partial<Draft> }
  | { type: 'submitted'; attempt: Attempt }
  | { type: 'confirmed'; passkey: Assertion }
  | { type: 'answered'; auditId: string; at: string; status: ApprovalStatus }
  | { type: 'failed'; failure: Failure; now: number }
  /** The person has reviewed the changes and continues with the latest version. */
  | { type: 'reviewed' }

export function reduce(machine: Machine, event: Event): Machine {
  switch (event.type) {
    case 'loaded':
      return loaded(machine, event.approval)
    case 'restored':
      return isTouched(machine.draft) ? machine : { ...machine, draft: { ...machine.draft, ...event.draft } }
    case 'edited':
      return edited(machine, event.draft)
    case 'submitted':
      return { ...machine, attempt: event.attempt, phase: { is: 'submitting' } }
    case 'confirmed':
      return machine.attempt === undefined
        ? machine
        : { ...machine, attempt: { ...machine.attempt, passkey: event.passkey } }
    case 'answered': {
      const { attempt } = machine
      if (attempt === undefined) return machine
      const { decision, reason } = attempt
      const record = { decision, reason, auditId: event.auditId, at: event.at, waits: event.status === 'pending' }
      return { ...machine, draft: emptyDraft, phase: { is: 'recorded', record } }
    }
    case 'failed':
      return failed(machine, event.failure, event.now)
    case 'reviewed':
      return {
        ...machine,
        shown: machine.latest,
        draft: { ...machine.draft, acknowledged: false },
        phase: { is: 'editing' },
      }
  }
}

function loaded(machine: Machine, approval: Approval): Machine {
  const { shown, phase } = machine
  const next = { ...machine, latest: approval }
  if (shown === undefined) return { ...next, shown: approval }
  switch (phase.is) {
    case 'submitting':
      return next
    case 'unknown':
      return resolved(next, approval)
    case 'recorded':
      return { ...next, shown: approval }
    case 'drifted':
    case 'conflict':
      return approval.status === 'expired' ? expired(next, approval) : next
    case 'editing':
    case 'rate-limited':
      if (approval.status === 'expired') return expired(next, approval)
      if (approval.payloadDigest !== shown.payloadDigest) return { ...next, phase: { is: 'drifted' } }
      // Nothing would be lost from an empty form, so the page shows the latest version immediately.
      if (approval.revision !== shown.revision && isTouched(machine.draft))
        return { ...next, phase: { is: 'conflict' } }
      return showing(next, approval)
  }
}

/** Nothing was decided, and nothing can be reviewed: the draft stays below the expired request. */
const expired = (machine: Machine, shown: Approval): Machine => ({ ...machine, shown, phase: { is: 'editing' } })

/** The acknowledgement says whether the same was approved before: it lapses when that changes. */
function showing(machine: Machine, approval: Approval): Machine {
  const before = (request: Approval | undefined) => request?.repeats?.approved?.approvalId
  const same = before(machine.shown) === before(approval)
  return { ...machine, shown: approval, ...(same ? {} : { draft: { ...machine.draft, acknowledged: false } }) }
}

/** Finds out whether a decision whose answer was lost is recorded. */
function resolved(machine: Machine, approval: Approval): Machine {
  const { attempt } = machine
  if (attempt === undefined) return machine
  const vote = approval.votes.find(
    ({ by, decision, reason }) => by.id === machine.me && decision === attempt.decision && reason === attempt.reason,
  )
  if (vote !== undefined) {
    const record = {
      decision: vote.decision,
      reason: vote.reason,
      auditId: vote.auditId,
      at: vote.at,
      waits: approval.status === 'pending',
    }
    return { ...machine, shown: approval, draft: emptyDraft, phase: { is: 'recorded', record } }
  }
  if (approval.payloadDigest !== attempt.payloadDigest) return { ...machine, phase: { is: 'drifted' } }
  const untouched = approval.status === 'pending' && approval.revision === attempt.expectedRevision
  if (!untouched) return { ...machine, phase: { is: 'conflict' } }
  return { ...showing(machine, approval), phase: { is: 'editing', notRecorded: true } }
}

function edited(machine: Machine, change: Partial<Draft>): Machine {
  const { draft, phase } = machine
  if (phase.is !== 'editing' && phase.is !== 'rate-limited') return machine
  // The acknowledgement names the effect of one choice, so another choice clears it.
  const lapses = change.decision !== undefined && change.decision !== draft.decision
  const next = { ...draft, ...(lapses ? { acknowledged: false } : {}), ...change }
  return { ...machine, draft: next, phase: phase.is === 'editing' ? { is: 'editing' } : phase }
}

/** What a person who submits the form now sends. Undefined before a request is shown and a decision chosen. */
export function nextAttempt({ shown, draft, attempt }: Machine, newKey: string): Attempt | undefined {
  if (shown === undefined || draft.decision === undefined) return undefined
  const content = {
    approvalId: shown.approvalId,
    decision: draft.decision,
    reason: draft.reason.trim(),
    expectedRevision: shown.revision,
    payloadDigest: shown.payloadDigest,
    confirms: draft.decision === 'approve' && shown.passkey !== 'not_needed',
  }
  const again =
    attempt !== undefined &&
    attempt.approvalId === content.approvalId &&
    attempt.decision === content.decision &&
    attempt.reason === content.reason &&
    attempt.expectedRevision === content.expectedRevision &&
    attempt.payloadDigest === content.payloadDigest &&
    attempt.confirms === content.confirms
  return again ? attempt : { ...content, idempotencyKey: newKey }
}

function failed(machine: Machine, failure: Failure, now: number): Machine {
  const { shown } = machine
  switch (failure.code) {
    case 'network':
    case 'timeout':
    case 'unreadable':
    case 'internal':
    case 'unavailable':
    // An earlier attempt whose answer was lost may have recorded the decision.
    case 'already_voted':
    case 'already_decided':
      return { ...machine, phase: { is: 'unknown' } }
    case 'revision_conflict':
      return { ...machine, phase: { is: 'conflict' } }
    case 'digest_mismatch':
      return { ...machine, phase: { is: 'drifted' } }
    case 'rate_limited':
      return { ...machine, phase: { is: 'rate-limited', until: now + (failure.retryAfterSeconds ?? 5) * 1000 } }
    case 'forbidden':
    case 'separation_of_duties':
    case 'not_eligible':
    case 'machine_decision': {
      const blocked: Blocked = { code: failure.code, message: failure.message }
      return { ...machine, shown: shown && { ...shown, blocked, mayReject: false }, phase: { is: 'editing' } }
    }
    // The signature can't be used again: the next attempt asks the device again, under a new key.
    case 'no_passkey':
    case 'not_loaded':
    case 'passkey_required':
      return { ...machine, attempt: undefined, phase: { is: 'editing', problem: failure } }
    case 'unauthorized':
      return { ...machine, phase: { is: 'editing' } }
    default:
      return { ...machine, phase: { is: 'editing', problem: failure } }
  }
}

export const isTouched = ({ decision, reason }: Draft): boolean => decision !== undefined || reason !== ''
