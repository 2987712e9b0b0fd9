import type { Failure } from '#lib/failure.ts'
import type { Approval, Blocked, Decision } from '#lib/schemas/approvals.ts'

/** The server's limit, in characters. */
export const reasonLimit = 2000

/** What the person has filled in. The acknowledgement is never remembered: it is given for what is on the page now. */
export type Draft = { decision: Decision | undefined; reason: string; acknowledged: boolean }
export const emptyDraft: Draft = { decision: undefined, reason: '', acknowledged: false }

/** One decision as it is sent. The same content keeps its key, so that sending it again records it once. */
export type Attempt = {
  idempotencyKey: string
  approvalId: string
  decision: Decision
  reason: string
  expectedRevision: number
  payloadDigest: string
}

/** The record of a decision of this person. */
export type Recorded = { decision: Decision; reason: string; auditId: string; at: string | undefined }

/** Where the decision stands. Owned by the reducer below; everything on the page follows from it and the conditions. */
type Phase =
  | { is: 'editing'; problem?: Failure; notRecorded?: true }
  | { is: 'submitting' }
  /** The answer was lost: asked for until it is known what happened. */
  | { is: 'unknown' }
  | { is: 'recorded'; record: Recorded }
  /** The request was changed by somebody else while this person was at it. */
  | { is: 'conflict' }
  | { is: 'drifted' }
  | { is: 'rate-limited'; until: number }

export type Machine = {
  /** Member id of the person. */
  me: string
  /** What is on the page, and what a decision binds. */
  shown: Approval | undefined
  /** The newest answer; differs from `shown` while there is something to review. */
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
  | { type: 'submitted'; newKey: string }
  | { type: 'answered'; auditId: string; at: string }
  | { type: 'failed'; failure: Failure; now: number }
  /** The person has looked at what changed and goes on with the request as it is now. */
  | { type: 'reviewed' }

export function reduce(machine: Machine, event: Event): Machine {
  switch (event.type) {
    case 'loaded':
      return loaded(machine, event.approval)
    case 'restored':
      return isTouched(machine.draft) ? machine : { ...machine, draft: { ...machine.draft, ...event.draft } }
    case 'edited':
      return edited(machine, event.draft)
    case 'submitted': {
      const attempt = nextAttempt(machine, event.newKey)
      return attempt === undefined ? machine : { ...machine, attempt, phase: { is: 'submitting' } }
    }
    case 'answered': {
      const { attempt } = machine
      if (attempt === undefined) return machine
      const { decision, reason } = attempt
      const record = { decision, reason, auditId: event.auditId, at: event.at }
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
      return next
    case 'editing':
    case 'rate-limited':
      if (approval.payloadDigest !== shown.payloadDigest) return { ...next, phase: { is: 'drifted' } }
      // With nothing filled in there is nothing to lose: the page simply shows how it is now.
      if (approval.revision !== shown.revision && isTouched(machine.draft)) return { ...next, phase: { is: 'conflict' } }
      return { ...next, shown: approval }
  }
}

/** What became of the decision whose answer was lost. */
function resolved(machine: Machine, approval: Approval): Machine {
  const { attempt } = machine
  if (attempt === undefined) return machine
  const vote = approval.votes.find(
    ({ by, decision, reason }) => by.id === machine.me && decision === attempt.decision && reason === attempt.reason,
  )
  if (vote !== undefined) {
    const record = { decision: vote.decision, reason: vote.reason, auditId: vote.auditId, at: vote.at }
    return { ...machine, shown: approval, draft: emptyDraft, phase: { is: 'recorded', record } }
  }
  if (approval.payloadDigest !== attempt.payloadDigest) return { ...machine, phase: { is: 'drifted' } }
  const untouched = approval.status === 'pending' && approval.revision === attempt.expectedRevision
  if (!untouched) return { ...machine, phase: { is: 'conflict' } }
  return { ...machine, shown: approval, phase: { is: 'editing', notRecorded: true } }
}

function edited(machine: Machine, change: Partial<Draft>): Machine {
  const { draft, phase } = machine
  if (phase.is !== 'editing' && phase.is !== 'rate-limited') return machine
  // The acknowledgement names the effect of one choice.
  const lapses = change.decision !== undefined && change.decision !== draft.decision
  const next = { ...draft, ...(lapses ? { acknowledged: false } : {}), ...change }
  return { ...machine, draft: next, phase: phase.is === 'editing' ? { is: 'editing' } : phase }
}

function nextAttempt({ shown, draft, attempt }: Machine, newKey: string): Attempt | undefined {
  if (shown === undefined || draft.decision === undefined) return undefined
  const content = {
    approvalId: shown.approvalId,
    decision: draft.decision,
    reason: draft.reason.trim(),
    expectedRevision: shown.revision,
    payloadDigest: shown.payloadDigest,
  }
  const again =
    attempt !== undefined &&
    attempt.approvalId === content.approvalId &&
    attempt.decision === content.decision &&
    attempt.reason === content.reason &&
    attempt.expectedRevision === content.expectedRevision &&
    attempt.payloadDigest === content.payloadDigest
  return { ...content, idempotencyKey: again ? attempt.idempotencyKey : newKey }
}

function failed(machine: Machine, failure: Failure, now: number): Machine {
  const { shown } = machine
  switch (failure.code) {
    case 'network':
    case 'timeout':
    case 'unreadable':
    case 'internal':
    case 'unavailable':
    // Perhaps by the very request whose answer was lost.
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
      return { ...machine, shown: shown && { ...shown, blocked }, phase: { is: 'editing' } }
    }
    case 'unauthorized':
      return { ...machine, phase: { is: 'editing' } }
    default:
      return { ...machine, phase: { is: 'editing', problem: failure } }
  }
}

export const isTouched = ({ decision, reason }: Draft): boolean => decision !== undefined || reason !== ''

/** What the page knows besides. */
export type Conditions = {
  /** Epoch milliseconds. */
  now: number
  online: boolean
  sessionEnded: boolean
  /** Values that are shown in part and were not opened yet. */
  unopened: number
}

export type BlockedWhy = 'self' | 'permission' | 'not-eligible' | 'already-voted' | 'machine'

export type View =
  | { is: 'loading' }
  | { is: 'open' | 'drafting'; problem: Failure | undefined; notRecorded: boolean }
  | { is: 'submitting' | 'unknown' | 'expired' | 'offline' | 'session-ended' }
  /** It was decided before this person did anything. */
  | { is: 'decided' }
  | { is: 'recorded'; record: Recorded }
  | { is: 'blocked'; why: BlockedWhy; message: string }
  /** `latest` is undefined until it is known what changed; `stillOpen`: it can be reviewed and decided. */
  | { is: 'conflict' | 'drifted'; latest: Approval | undefined; stillOpen: boolean }
  | { is: 'rate-limited'; seconds: number }

/** The state of the page, by name. */
export function viewOf(machine: Machine, { now, online, sessionEnded }: Conditions): View {
  const { shown, latest, phase, draft } = machine
  if (shown === undefined) return { is: 'loading' }
  switch (phase.is) {
    case 'submitting':
    case 'unknown':
      return { is: phase.is }
    case 'recorded':
      return phase
    case 'conflict':
    case 'drifted': {
      const known = latest === undefined || latest === shown ? undefined : latest
      return { is: phase.is, latest: known, stillOpen: known?.status === 'pending' && !isOver(known, now) }
    }
    case 'editing':
    case 'rate-limited':
      break
  }
  if (isOver(shown, now)) return { is: 'expired' }
  if (shown.status !== 'pending') return { is: 'decided' }
  if (shown.blocked !== null && shown.blocked.code !== 'already_decided')
    return { is: 'blocked', why: whyBlocked(shown.blocked.code), message: shown.blocked.message }
  if (sessionEnded) return { is: 'session-ended' }
  if (!online) return { is: 'offline' }
  if (phase.is === 'rate-limited' && now < phase.until)
    return { is: 'rate-limited', seconds: Math.ceil((phase.until - now) / 1000) }
  const { problem = undefined, notRecorded = false } = phase.is === 'editing' ? phase : {}
  return { is: isTouched(draft) ? 'drafting' : 'open', problem, notRecorded }
}

const isOver = ({ status, expiresAt }: Approval, now: number): boolean =>
  status === 'expired' || (status === 'pending' && now >= Date.parse(expiresAt))

function whyBlocked(code: Exclude<Blocked['code'], 'already_decided'>): BlockedWhy {
  switch (code) {
    case 'separation_of_duties':
      return 'self'
    case 'forbidden':
      return 'permission'
    case 'not_eligible':
      return 'not-eligible'
    case 'already_voted':
      return 'already-voted'
    case 'machine_decision':
      return 'machine'
  }
}

/** Whether the form can be filled in now. */
export function isEditable(view: View): boolean {
  switch (view.is) {
    case 'open':
    case 'drafting':
    case 'offline':
    case 'rate-limited':
    case 'session-ended':
      return true
    default:
      return false
  }
}

/** Why the decision can't be sent now, or undefined when it can. */
export function whyNotSubmit(machine: Machine, conditions: Conditions): string | undefined {
  const view = viewOf(machine, conditions)
  switch (view.is) {
    case 'open':
    case 'drafting':
      return whyIncomplete(machine.draft, conditions.unopened)
    case 'loading':
      return 'The request is still being loaded.'
    case 'submitting':
      return 'Your decision is being recorded.'
    case 'unknown':
      return 'It is being checked whether your decision was recorded.'
    case 'recorded':
      return 'Your decision is recorded.'
    case 'decided':
      return 'This request has been decided.'
    case 'expired':
      return 'This request has expired; expiry counts as rejection.'
    case 'blocked':
      return view.message
    case 'conflict':
    case 'drifted':
      return 'Look at what changed first.'
    case 'offline':
      return 'You are offline. What you typed stays here.'
    case 'session-ended':
      return 'Your session has ended. Sign in again; what you typed stays here.'
    case 'rate-limited':
      return `Too many requests. You can send it in ${view.seconds} s.`
  }
}

function whyIncomplete({ decision, reason, acknowledged }: Draft, unopened: number): string | undefined {
  if (decision === undefined) return 'Choose Approve, Reject or Escalate.'
  if (decision === 'approve' && unopened > 0)
    return unopened === 1 ? 'Open the shortened value first.' : `Open the ${unopened} shortened values first.`
  const length = reason.trim().length
  if (length === 0) return 'Give a reason.'
  if (length > reasonLimit) return 'The reason is too long.'
  if (!acknowledged) return 'Confirm that you have read what happens.'
  return undefined
}
