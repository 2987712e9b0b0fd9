import type { GroupStage, Terms } from './terms-store.ts'

type Staged = { groupId: string; quorum: number; escalationLevel: number }
type Cast = { id: string; escalationLevel: number }

/** How many people of the current group must approve. */
export const quorumNow = ({ quorum }: Pick<Staged, 'quorum'>, terms: Terms | undefined): number =>
  terms?.stages[terms.stage]?.quorum ?? quorum

export const nextStage = (terms: Terms | undefined): GroupStage | undefined => terms?.stages[terms.stage + 1]

/** The votes of the current stage; those from before an escalation have lapsed. */
export function votesNow<V extends Cast>(
  votes: readonly V[],
  { escalationLevel }: Pick<Staged, 'escalationLevel'>,
  terms: Terms | undefined,
): V[] {
  const ended = new Set(terms?.stageVotes.flat())
  return votes.filter((vote) => vote.escalationLevel === escalationLevel && !ended.has(vote.id))
}

/** The votes that count: those of the current stage, and those that ended earlier ones. */
export function countedVotes<V extends Cast>(
  votes: readonly V[],
  { escalationLevel }: Pick<Staged, 'escalationLevel'>,
  terms: Terms | undefined,
): V[] {
  const ended = new Set(terms?.stageVotes.flat())
  return votes.filter((vote) => vote.escalationLevel === escalationLevel || ended.has(vote.id))
}

/**
 * The index of the stage that each vote was given in, also of those that an escalation made void. `votes`: all of them, in order.
 * A stage ends with its last vote.
 */
export function stagesOfVotes(votes: readonly Pick<Cast, 'id'>[], terms: Terms | undefined): number[] {
  const ends = (terms?.stageVotes ?? []).map((ids) => votes.findLastIndex(({ id }) => ids.includes(id)))
  return votes.map((_, index) => ends.filter((end) => end < index).length)
}
