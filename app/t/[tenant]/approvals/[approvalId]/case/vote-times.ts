import type { Approval } from '#lib/schemas/approvals.ts'

type Vote = Pick<Approval['votes'][number], 'decision' | 'stage' | 'escalationLevel' | 'at'>

/** Whether the escalation group gave the vote: an escalation raises the level, and the next stage begins at that level. */
export const isEscalated = ({ stage, escalationLevel }: Vote, votes: readonly Vote[]): boolean =>
  escalationLevel > Math.max(0, ...votes.filter((one) => one.stage < stage).map((one) => one.escalationLevel))

/**
 * The milliseconds from the moment at which the group of a vote was asked: by the request, by the vote that ended the stage before, or
 * by the vote that escalated its stage.
 */
export function tookMs(vote: Vote, votes: readonly Vote[], requestedAt: string): number {
  const asked = votes
    .filter(
      ({ stage, decision, escalationLevel }) =>
        stage < vote.stage ||
        (stage === vote.stage && decision === 'escalate' && escalationLevel < vote.escalationLevel),
    )
    .map(({ at }) => Date.parse(at))
  return Math.max(0, Date.parse(vote.at) - Math.max(Date.parse(requestedAt), ...asked))
}
