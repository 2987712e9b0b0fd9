import { whyNotReason } from '#components/forms/reason-rule.ts'
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
      return { is: phase.is, latest: known, stillOpen: known?.status === 'pending' && !isOver(known, now) }
    }
    case 'editing':
    case 'rate-limited':
      break
  }
  if (isOver(shown, now)) return { is: 'expired' }
  if (shown.status !== 'pending') return { is: 'decided' }
  const { blocked, mayReject } = shown
  if (blocked !== null && blocked.code !== 'already_decided' && !mayReject)
    return { is: 'blocked', why: whyBlocked(blocked.code), message: blocked.message }
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
  if (shown.blocked !== null) return shown.blocked.message
  return decision === 'escalate' && shown.kind === 'standing_grant' ? 'A standing grant can’t be escalated.' : undefined
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
      return 'The request is still being loaded.'
    case 'submitting':
      return 'Your decision is being recorded.'
    case 'unknown':
      return 'Checking whether your decision was recorded.'
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
      return 'Review the changes first.'
    case 'offline':
      return 'You are offline. What you typed is still here.'
    case 'session-ended':
      return 'Your session has ended. Sign in again. What you typed is still here.'
    case 'rate-limited':
      return `Too many requests. Try again in ${view.seconds} s.`
  }
}

/** A decision binds a digest: it must be the digest of what the person has read. */
function whyNotShown(digest: ShownDigest): string | undefined {
  switch (digest) {
    case 'different':
      return 'This page does not show what would run: its digest differs. Don’t decide; tell an administrator.'
    case 'checking':
      return 'The digest of this page is being checked.'
    case 'same':
    case 'unknown':
      return undefined
  }
}

function whyIncomplete(machine: Machine, { unopened, now }: Conditions): string | undefined {
  const { draft, shown } = machine
  const { decision, reason, acknowledged } = draft
  if (decision === undefined)
    return whyNotChoose(machine, 'approve') === undefined ? 'Choose Approve, Reject or Escalate.' : 'Choose Reject.'
  const blocked = whyNotChoose(machine, decision)
  if (blocked !== undefined) return blocked
  if (decision === 'approve' && shown?.passkey === 'missing')
    return 'Approving this request requires a passkey. Add one in your settings.'
  if (decision === 'approve' && unopened > 0)
    return unopened === 1
      ? 'Show the shortened value in full first.'
      : `Show the ${unopened} shortened values in full first.`
  const blockedReason = whyNotReason(reason)
  if (blockedReason !== undefined) return blockedReason
  if (!acknowledged) return 'Confirm that you have read what happens.'
  return decision === 'approve' && shown !== undefined ? whyNotRead(shown.reading, now) : undefined
}

function whyNotRead(reading: Approval['reading'], now: number): string | undefined {
  if (reading === null) return undefined
  if (reading.approvableAt === null) return 'The time to read has not begun.'
  const left = secondsUntil(reading.approvableAt, now)
  // A clock that is behind the server's would show more.
  return left > 0 ? `You can approve in ${Math.min(left, reading.seconds)} s.` : undefined
}

const secondsUntil = (time: string, now: number): number => Math.ceil((Date.parse(time) - now) / 1000)
