import { whyNotReason } from '#components/forms/reason-rule.ts'
import { failureText } from '#components/session/failure-text.ts'
import * as t from '#components/texts/approval-decision/en.ts'
import type { Failure } from '#lib/failure.ts'
import type { Approval, Blocked, Decision } from '#lib/schemas/approvals.ts'
import { isTouched, type Machine, type Recorded } from './decision-state.ts'
import type { ShownDigest } from './use-shown-digest.ts'

/** The conditions outside of the reducer that the page depends on. */
export type Conditions = {
  /** Epoch milliseconds. */
  now: number
  online: boolean
  sessionEnded: boolean
  /** The number of shortened values that the person has not expanded yet. */
  unopened: number
  shownDigest: ShownDigest
}

export type BlockedWhy = 'self' | 'permission' | 'not-eligible' | 'already-voted' | 'machine'

/** `onlyReject`: why the person may neither approve nor escalate, but only reject. */
export type View =
  | { is: 'loading' }
  | { is: 'open' | 'drafting'; problem: Failure | undefined; notRecorded: boolean; onlyReject: string | undefined }
  | { is: 'submitting' | 'unknown' | 'expired' | 'offline' | 'session-ended' }
  /** The request was decided before this person sent a decision. */
  | { is: 'decided' }
  | { is: 'recorded'; record: Recorded }
  | { is: 'blocked'; why: BlockedWhy; message: string }
  /** `latest` is undefined until the changed request has loaded. With `stillOpen`, it can be reviewed and decided. */
  | { is: 'conflict' | 'drifted'; latest: Approval | undefined; stillOpen: boolean }
  | { is: 'rate-limited'; seconds: number }

/** Returns the state of the page. */
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
      if (known !== undefined && isOver(known, now)) return { is: 'expired' }
      return { is: phase.is, latest: known, stillOpen: known?.status === 'pending' }
    }
    case 'editing':
    case 'rate-limited':
      break
  }
  if (isOver(shown, now)) return { is: 'expired' }
  if (shown.status !== 'pending') return { is: 'decided' }
  const { blocked, mayReject } = shown
  if (blocked !== null && blocked.code !== 'already_decided' && !mayReject)
    return { is: 'blocked', why: whyBlocked(blocked.code), message: failureText(blocked) }
  if (sessionEnded) return { is: 'session-ended' }
  if (!online) return { is: 'offline' }
  if (phase.is === 'rate-limited' && now < phase.until)
    return { is: 'rate-limited', seconds: Math.ceil((phase.until - now) / 1000) }
  const { problem = undefined, notRecorded = false } = phase.is === 'editing' ? phase : {}
  return {
    is: isTouched(draft) ? 'drafting' : 'open',
    problem,
    notRecorded,
    onlyReject: whyNotChoose(machine, 'approve'),
  }
}

/** Why the person may not choose this decision, although they may make another. */
export function whyNotChoose({ shown }: Machine, decision: Decision): string | undefined {
  if (decision === 'reject' || shown === undefined) return undefined
  if (shown.blocked !== null) return failureText(shown.blocked)
  return decision === 'escalate' && shown.kind === 'standing_grant' ? t.standingGrantCantBe : undefined
}

const isOver = ({ status, expiresAt, clock }: Approval, now: number): boolean =>
  status === 'expired' || (status === 'pending' && clock.stopped === null && now >= Date.parse(expiresAt))

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
      return whyNotShown(conditions.shownDigest) ?? whyIncomplete(machine, conditions)
    case 'loading':
      return t.requestIsStillBeing
    case 'submitting':
      return t.yourDecisionIsBeing
    case 'unknown':
      return t.checkingWhetherYourDecision
    case 'recorded':
      return t.yourDecisionIsRecorded
    case 'decided':
      return machine.shown?.status === 'canceled' ? t.thisRequestEnded : t.thisRequestHasBeen
    case 'expired':
      return t.thisRequest
    case 'blocked':
      return view.message
    case 'conflict':
    case 'drifted':
      return t.reviewChangesFirst
    case 'offline':
      return t.youAreOfflineWhat
    case 'session-ended':
      return t.yourSessionHasEnded
    case 'rate-limited':
      return t.tooManyRequestsTry({ seconds: view.seconds })
  }
}

/** A decision binds a digest: it must be the digest of what the person has read. */
function whyNotShown(digest: ShownDigest): string | undefined {
  switch (digest) {
    case 'different':
      return t.thisPageDoesNot
    case 'checking':
      return t.digestOfThisPage
    case 'same':
    case 'unknown':
      return undefined
  }
}

function whyIncomplete(machine: Machine, { unopened, now }: Conditions): string | undefined {
  const { draft, shown } = machine
  const { decision, reason, acknowledged } = draft
  if (decision === undefined)
    return whyNotChoose(machine, 'approve') === undefined ? t.chooseApproveRejectOr : t.chooseReject
  const blocked = whyNotChoose(machine, decision)
  if (blocked !== undefined) return blocked
  if (decision === 'approve' && shown?.passkey === 'missing') return t.approvingThisRequestRequires
  if (decision === 'approve' && unopened > 0)
    return unopened === 1 ? t.showShortenedValueIn : t.showShortenedValuesIn({ unopened })
  const blockedReason = whyNotReason(reason)
  if (blockedReason !== undefined) return blockedReason
  if (!acknowledged) return t.confirmThatYouHave
  return decision === 'approve' && shown !== undefined ? whyNotRead(shown.reading, now) : undefined
}

function whyNotRead(reading: Approval['reading'], now: number): string | undefined {
  if (reading === null) return undefined
  if (reading.approvableAt === null) return t.timeToReadHas
  const left = secondsUntil(reading.approvableAt, now)
  // A clock that is behind the server's would show more.
  return left > 0 ? t.youCanApproveIn({ left: Math.min(left, reading.seconds) }) : undefined
}

const secondsUntil = (time: string, now: number): number => Math.ceil((Date.parse(time) - now) / 1000)
