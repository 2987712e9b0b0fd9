import { leafText } from '#components/json/leaf-text.ts'
import { failureText } from '#components/session/failure-text.ts'
import * as t from '#components/texts/approvals/en.ts'
import type { Approval, ArgumentView } from '#lib/schemas/approvals.ts'
import { countHidden, visibleText } from '#lib/text/visible-text.ts'
import type { ShownDigest } from '../[approvalId]/decision/use-shown-digest.ts'
import type { Request } from './filter.ts'

export type BulkDecision = 'approve' | 'reject'

/** The most requests that can be decided together. */
export const mostTogether: Record<BulkDecision, number> = { approve: 10, reject: 25 }

/** Why these requests can't be decided together; undefined if they can. */
export function whyNotTogether(decision: BulkDecision, requests: readonly Request[]): string | undefined {
  if (requests.length === 0) return t.selectRequestsFirst
  const most = mostTogether[decision]
  if (requests.length > most) return t.atMostTogether({ decision, most })
  return decision === 'approve' ? whyNotApprove(requests) : undefined
}

function whyNotApprove(requests: readonly Request[]): string | undefined {
  const [first] = requests
  const blocked = requests.find(({ eligible }) => !eligible)
  if (blocked !== undefined) return `“${visibleText(blocked.title)}”: ${whyIneligible(blocked) ?? t.youCantApproveIt}`
  if (requests.some(({ risk }) => risk !== 'low')) return t.onlyRequestsOfLow
  const shape = (request: Request) =>
    JSON.stringify([request.agentId, request.agentVersion, request.action, request.resource, request.environment])
  if (first !== undefined && requests.some((request) => shape(request) !== shape(first))) return t.onlyRequestsOfOne
  const hidden = requests.find(hasHidden)
  if (hidden !== undefined) return t.containsHiddenOrLook({ title: visibleText(hidden.title) })
  const repeated = requests.find(({ repeats }) => repeats?.approved != null)
  if (repeated !== undefined) return t.sameWasApprovedFor({ title: visibleText(repeated.title) })
  const names = requests.map(({ title, cardTitle }) => JSON.stringify([title, cardTitle]))
  const twice = requests.find((_request, index) => names.indexOf(names[index] ?? '') !== index)
  if (twice !== undefined) return t.isSelectedTwiceOpen({ twice: visibleText(twice.title) })
  return undefined
}

/** In English the sentence of the API, which names people; otherwise a text for its code. */
export const whyIneligible = ({ ineligibleCode: code, ineligibleReason: message }: Request): string | undefined =>
  // An answer of an earlier version lacks the code.
  message === null ? undefined : code ? failureText({ code, message }) : message

const hasHidden = ({ title, cardTitle = '', facts }: Request): boolean =>
  anyHidden([title, cardTitle, ...textsOf(facts)])

const anyHidden = (texts: readonly string[]): boolean => texts.some((text) => countHidden(text) > 0)

const textsOf = (facts: Request['facts']): string[] => facts.flatMap(({ label, value }) => [label, value ?? ''])

/** What a stranger may have written, except the arguments. */
const textsAround = ({ title, effectLabel, effects, irreversibleNote, card }: Approval['presentation']): string[] => [
  title,
  effectLabel,
  ...effects,
  irreversibleNote ?? '',
  ...(card === undefined
    ? []
    : [card.title ?? '', ...textsOf(card.facts), ...card.links.flatMap(({ label, host }) => [label, host])]),
]

/** Why a request, read again, can't be decided together with others; undefined if it can. */
export function whyNotNow(
  decision: BulkDecision,
  request: Request,
  read: Approval,
  shown: ShownDigest,
): string | undefined {
  if (read.status !== 'pending') return t.itIsAlready({ status: read.status })
  if (read.payloadDigest !== request.payloadDigest) return t.itsContentHasChanged
  if (shown === 'different') return t.whatWouldRunIs
  if (decision === 'reject') return read.mayReject ? undefined : t.youCantRejectIt
  if (read.blocked !== null) return failureText(read.blocked)
  if (read.passkey !== 'not_needed') return t.itsApprovalNeedsYour
  if (anyHidden(textsAround(read.presentation))) return t.itContainsHiddenOr
  const rows = read.presentation.arguments
  if (rows.some((row) => countHidden(row.path) + countHidden(argumentText(row), { edges: true }) > 0))
    return t.itsArgumentsContainHidden
  if (rows.map(argumentText).some((text) => text.length > longestShown || text.split('\n').length > mostLines))
    return t.itsArgumentsAreLong
  return read.repeats?.approved == null ? undefined : t.theSame
}

/** In characters. */
const longestShown = 200
const mostLines = 5

/** An argument as the dialog shows it; '' for a masked one. */
const argumentText = ({ value }: ArgumentView): string => (value === undefined ? '' : leafText(value))
