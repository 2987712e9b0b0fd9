import type { Blocked, Decision } from '#lib/schemas/approvals.ts'

/** What is known of one reviewer and one request when the question "may they decide?" is asked. */
export type ReviewerFacts = {
  status: string
  expired: boolean
  mayDecide: boolean
  machine: boolean
  machineDecisions: 'on' | 'off'
  separationOfDuties: 'required' | 'off'
  /** How the reviewer is one identity with the requester ("created the service account ci-pipeline, which asked"). */
  identityLink: string | undefined
  inGroup: boolean
  groupName: string
  voted: boolean
  /** For somebody who is not in the group: the member of it that they stand in for now (delegation). */
  standsIn?: StandsIn | undefined
  /** Who has voted in this reviewer's place. */
  votedInPlace?: string | undefined
}

export type StandsIn = {
  delegatorId: string
  delegatorName: string
  /** The delegator is one identity with the requester. */
  behindRequest: boolean
  /** The delegator's vote has been given, by whomever. */
  voted: boolean
}

/** Why a reviewer may not decide a request, or undefined when they may. Separation of duties is checked before eligibility. */
export function whyNotDecide(facts: ReviewerFacts): Blocked | undefined {
  if (facts.status !== 'pending')
    return { code: 'already_decided', message: `This request is already ${facts.status}.` }
  if (facts.expired)
    return { code: 'already_decided', message: 'This request has expired; expiry counts as rejection.' }
  if (!facts.mayDecide) return { code: 'forbidden', message: 'Deciding needs the permission approval:decide.' }
  if (facts.machine && facts.machineDecisions === 'off')
    return { code: 'machine_decision', message: 'A machine decides no approval in this tenant.' }
  if (facts.separationOfDuties === 'required' && facts.identityLink !== undefined)
    return { code: 'separation_of_duties', message: `You ${facts.identityLink}, so someone else must decide.` }
  const { standsIn } = facts
  if (!facts.inGroup && standsIn?.behindRequest === true && facts.separationOfDuties === 'required')
    return {
      code: 'separation_of_duties',
      message: `You stand in for ${standsIn.delegatorName}, who is behind this request, so someone else must decide.`,
    }
  if (!facts.inGroup && standsIn === undefined)
    return { code: 'not_eligible', message: `Only members of ${facts.groupName} decide this request.` }
  if (facts.voted) return { code: 'already_voted', message: 'You have already decided this request.' }
  if (facts.inGroup && facts.votedInPlace !== undefined)
    return { code: 'already_voted', message: `${facts.votedInPlace} has already decided this request in your place.` }
  if (!facts.inGroup && standsIn?.voted === true)
    return { code: 'already_voted', message: `The vote of ${standsIn.delegatorName} has already been given.` }
  return undefined
}

/** What a vote leads to. `votes` are the present level's, this one included: quorum counts people, one reject ends it. */
export function outcomeOf(
  decision: Decision,
  votes: readonly { decision: string }[],
  quorum: number,
): 'approved' | 'rejected' | 'pending' {
  if (decision === 'reject') return 'rejected'
  if (decision === 'escalate') return 'pending'
  return votes.filter((vote) => vote.decision === 'approve').length >= quorum ? 'approved' : 'pending'
}
