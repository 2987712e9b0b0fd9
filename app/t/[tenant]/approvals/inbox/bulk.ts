import type { Approval, ArgumentView } from '#lib/schemas/approvals.ts'
import { countHidden, visibleText } from '#lib/text/visible-text.ts'
import type { ShownDigest } from '../[approvalId]/decision/use-shown-digest.ts'
import type { Request } from './filter.ts'

export type BulkDecision = 'approve' | 'reject'

/** The most requests that can be decided together. */
export const mostTogether: Record<BulkDecision, number> = { approve: 10, reject: 25 }

/** Why these requests can't be decided together; undefined if they can. */
export function whyNotTogether(decision: BulkDecision, requests: readonly Request[]): string | undefined {
  if (requests.length === 0) return 'Select requests first.'
  const most = mostTogether[decision]
  if (requests.length > most) return `At most ${most} requests can be ${past[decision]} together.`
  return decision === 'approve' ? whyNotApprove(requests) : undefined
}

const past: Record<BulkDecision, string> = { approve: 'approved', reject: 'rejected' }

function whyNotApprove(requests: readonly Request[]): string | undefined {
  const [first] = requests
  const blocked = requests.find(({ eligible }) => !eligible)
  if (blocked !== undefined)
    return `“${visibleText(blocked.title)}”: ${blocked.ineligibleReason ?? 'You can’t approve it.'}`
  if (requests.some(({ risk }) => risk !== 'low')) return 'Only requests of low risk can be approved together.'
  const shape = (request: Request) =>
    JSON.stringify([request.agentId, request.agentVersion, request.action, request.resource, request.environment])
  if (first !== undefined && requests.some((request) => shape(request) !== shape(first)))
    return 'Only requests of one action, agent version and environment can be approved together.'
  const hidden = requests.find(hasHidden)
  if (hidden !== undefined)
    return `“${visibleText(hidden.title)}” contains hidden or look-alike characters. Open it to decide.`
  const repeated = requests.find(({ repeats }) => repeats?.approved != null)
  if (repeated !== undefined)
    return `“${visibleText(repeated.title)}”: the same was approved for this object before. Open it to compare them.`
  const titles = requests.map(({ title }) => title)
  const twice = titles.find((title, index) => titles.indexOf(title) !== index)
  if (twice !== undefined) return `“${visibleText(twice)}” is selected twice. Open each to compare them.`
  return undefined
}

const hasHidden = ({ title, facts }: Request): boolean => anyHidden([title, ...textsOf(facts)])

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
  if (read.status !== 'pending') return `It is ${read.status} already.`
  if (read.payloadDigest !== request.payloadDigest) return 'Its content has changed since the list was loaded.'
  if (shown === 'different') return 'What would run is not what is shown: its digest differs.'
  if (decision === 'reject') return read.mayReject ? undefined : 'You can’t reject it.'
  if (read.blocked !== null) return read.blocked.message
  if (read.passkey !== 'not_needed') return 'Its approval needs your passkey. Open it to decide.'
  if (anyHidden(textsAround(read.presentation)))
    return 'It contains hidden or look-alike characters. Open it to decide.'
  const rows = read.presentation.arguments
  if (rows.some((row) => countHidden(row.path) + countHidden(argumentText(row), { edges: true }) > 0))
    return 'Its arguments contain hidden or look-alike characters. Open it to decide.'
  if (rows.some((row) => argumentText(row).length > longestShown)) return 'Its arguments are long. Open it to decide.'
  return read.repeats?.approved == null
    ? undefined
    : 'The same was approved for this object before. Open it to compare them.'
}

/** In characters. */
const longestShown = 200

/** An argument as the dialog shows it; '' for a masked one. */
export const argumentText = ({ value }: ArgumentView): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
