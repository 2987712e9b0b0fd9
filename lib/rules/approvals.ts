import type { Blocked, Decision } from '#lib/schemas/approvals.ts'

/** The facts about one reviewer and one request that determine whether the reviewer may decide. */
export type ReviewerFacts = {
  status: string
  expired: boolean
  mayDecide: boolean
  machine: boolean
  machineDecisions: 'on' | 'off'
  separationOfDuties: 'required' | 'off'
  /** How the reviewer caused the request ("created the service account ci-pipeline, which asked"); undefined if they did not. */
  identityLink: string | undefined
  inGroup: boolean
  groupName: string
  voted: boolean
  /** How the reviewer counts as someone who has voted ("created the service account bot, which has already decided …"). */
  voterLink?: string | undefined
  /** For a reviewer outside the group: the member whose delegate they are at the moment. */
  standsIn?: StandsIn | undefined
  /** The delegate who has voted in this reviewer's place. */
  votedInPlace?: string | undefined
}

export type StandsIn = {
  delegatorId: string
  delegatorName: string
  /** The delegator caused the request. */
  behindRequest: boolean
  /** The delegator counts as someone else who has voted. */
  countsAsVoter?: boolean
  /** The delegator's vote has been cast, by the delegator or a delegate. */
  voted: boolean
}

/** Why a reviewer may not approve or escalate a request, or undefined when they may. Separation of duties is checked before eligibility. */
export function whyNotDecide(facts: ReviewerFacts): Blocked | undefined {
  if (facts.status !== 'pending')
    return { code: 'already_decided', message: `This request is already ${facts.status}.` }
  if (facts.expired)
    return { code: 'already_decided', message: 'This request has expired; expiry counts as rejection.' }
  if (!facts.mayDecide)
    return { code: 'forbidden', message: 'You need the permission approval:decide to decide requests.' }
  if (facts.machine && facts.machineDecisions === 'off')
    return { code: 'machine_decision', message: 'Machines can’t decide approvals in this tenant.' }
  if (facts.separationOfDuties === 'required' && facts.identityLink !== undefined)
    return { code: 'separation_of_duties', message: `You ${facts.identityLink}, so someone else must decide.` }
  const { standsIn } = facts
  if (!facts.inGroup && standsIn?.behindRequest === true && facts.separationOfDuties === 'required')
    return {
      code: 'separation_of_duties',
      message: `You are the delegate of ${standsIn.delegatorName}, who caused this request, so someone else must decide.`,
    }
  if (!facts.inGroup && standsIn === undefined)
    return { code: 'not_eligible', message: `Only members of ${facts.groupName} can decide this request.` }
  if (facts.voted) return { code: 'already_voted', message: 'You have already decided this request.' }
  if (facts.separationOfDuties === 'required' && facts.voterLink !== undefined)
    return { code: 'separation_of_duties', message: `You ${facts.voterLink}, so someone else must decide.` }
  if (!facts.inGroup && standsIn?.countsAsVoter === true && facts.separationOfDuties === 'required')
    return {
      code: 'separation_of_duties',
      message: `You are the delegate of ${standsIn.delegatorName}, who counts as a person who has already decided, so someone else must decide.`,
    }
  if (facts.inGroup && facts.votedInPlace !== undefined)
    return { code: 'already_voted', message: `${facts.votedInPlace} has already decided this request in your place.` }
  if (!facts.inGroup && standsIn?.voted === true)
    return { code: 'already_voted', message: `The vote of ${standsIn.delegatorName} has already been cast.` }
  return undefined
}

/** Whether the person caused the request, which the tenant lets only others approve. */
const isOwnRequest = ({ separationOfDuties, identityLink }: ReviewerFacts): boolean =>
  separationOfDuties === 'required' && identityLink !== undefined

/**
 * Why a reviewer may not reject a request, or undefined when they may. Anyone who caused a request may end it, as a member of
 * the group or not: separation of duties keeps people from letting their own request happen, not from giving it up.
 */
export function whyNotReject(facts: ReviewerFacts): Blocked | undefined {
  const blocked = whyNotDecide(facts)
  return blocked?.code === 'separation_of_duties' && isOwnRequest(facts) && !facts.voted ? undefined : blocked
}

/** The member in whose place the reviewer would decide; they give up their own request in their own name. */
export const seatOf = (facts: ReviewerFacts): StandsIn | undefined => (isOwnRequest(facts) ? undefined : facts.standsIn)

/** The outcome of a vote. `votes` are those of the current level, including this one: the quorum counts people, one rejection ends the request. */
export function outcomeOf(
  decision: Decision,
  votes: readonly { decision: string }[],
  quorum: number,
): 'approved' | 'rejected' | 'pending' {
  if (decision === 'reject') return 'rejected'
  if (decision === 'escalate') return 'pending'
  return votes.filter((vote) => vote.decision === 'approve').length >= quorum ? 'approved' : 'pending'
}
