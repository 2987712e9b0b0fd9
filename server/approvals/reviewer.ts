import type { ReviewerFacts, StandsIn } from '#lib/rules/approvals.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { findGroupsOf } from '#server/tenants/group-store.ts'
import { type Identity, identitiesOfVoters, linkTo, type Selves, selvesOf } from '#server/tenants/identities.ts'
import { settingsOf } from '#server/tenants/view.ts'
import { type Seat, seatsOf } from './delegations/seats.ts'
import { type ApprovalRow, findGroupNames } from './store.ts'
import { countedVotes } from './terms/stages.ts'
import { findVotesOn } from './vote-store.ts'

type Row = NonNullable<ApprovalRow>
type CastVote = Awaited<ReturnType<typeof findVotesOn>>[number]

/** Decided by people in their own right, and never by those behind it, whatever the tenant's settings are. */
export const isStrict = ({ kind }: { kind: string }): boolean => kind === 'standing_grant'

/** The facts that determine whether `principal` can decide `approval` (lib/rules/approvals.ts). */
export async function reviewerFacts(
  tx: Transaction,
  tenant: Tenant,
  principal: Principal,
  approval: Row,
): Promise<ReviewerFacts> {
  const [facts] = await reviewerFactsOfAll(tx, tenant, principal, [approval])
  if (facts === undefined) throw new Error('unreachable: one row in, one out')
  return facts
}

/** As reviewerFacts, for a page of approvals. */
export async function reviewerFactsOfAll(
  tx: Transaction,
  tenant: Tenant,
  principal: Principal,
  approvals: readonly Row[],
): Promise<ReviewerFacts[]> {
  const settings = settingsOf(tenant)
  const self = principal.memberId
  const asked = [...new Set(approvals.map((approval) => approval.groupId))]
  const [memberships, groupNames, seats, votes, ownSelves] = await Promise.all([
    findGroupsOf(tx, tenant.id, self),
    findGroupNames(tx, tenant.id, asked),
    principal.kind === 'person' ? seatsOf(tx, tenant.id, self) : [],
    findVotesOn(
      tx,
      tenant.id,
      approvals.map((approval) => approval.id),
    ),
    selvesOf(tx, tenant.id, [self]),
  ])
  const groups = new Set(memberships.map((group) => group.id))
  const names = new Map(groupNames.map((group) => [group.id, group.displayName]))
  const inPlace = votes.filter((vote) => vote.onBehalfOf === self)
  // Few reviewers are delegates, and few have one.
  const selves =
    seats.length === 0 ? ownSelves : await selvesOf(tx, tenant.id, [self, ...seats.map((seat) => seat.delegatorId)])
  const [actor, behind] = await Promise.all([
    actorsById(
      tx,
      tenant.id,
      inPlace.map((vote) => vote.memberId),
    ),
    identitiesOfVoters(tx, tenant.id, votes.flatMap(votersOf)),
  ])
  const facts: ReviewerFacts[] = []
  for (const approval of approvals) {
    const cast = countedVotes(
      votes.filter((vote) => vote.approvalId === approval.id),
      approval,
      approval.terms,
    )
    const substitute = cast.find((vote) => vote.onBehalfOf === self)
    const voted = cast.some((vote) => vote.memberId === self)
    facts.push({
      status: approval.status,
      expired: approval.expired,
      mayDecide: principal.permissions.has('approval:decide'),
      machine: principal.kind !== 'person',
      machineDecisions: isStrict(approval) ? 'off' : settings.machineDecisions,
      separationOfDuties: isStrict(approval) ? 'required' : settings.separationOfDuties,
      identityLink: linkTo(self, selves(self), approval.identities, approval.requestedAt),
      inGroup: groups.has(approval.groupId),
      groupName: names.get(approval.groupId) ?? 'the approver group',
      voted,
      voterLink: voted ? undefined : voterLink(behind, self, selves(self), cast),
      votedInPlace: substitute === undefined ? undefined : actor(substitute.memberId).displayName,
      standsIn:
        groups.has(approval.groupId) || isStrict(approval)
          ? undefined
          : standsIn(
              seats.filter((seat) => seat.groupId === approval.groupId),
              approval,
              cast,
            ),
    })
  }
  return facts

  /** The first usable seat, or else one whose facts explain why it is not usable. */
  function standsIn(offered: readonly Seat[], approval: Row, cast: readonly CastVote[]): StandsIn | undefined {
    let last: StandsIn | undefined
    for (const { delegatorId, delegatorName } of offered) {
      const other = cast.filter((vote) => (vote.onBehalfOf ?? vote.memberId) !== delegatorId)
      last = {
        delegatorId,
        delegatorName,
        behindRequest:
          linkTo(delegatorId, selves(delegatorId), approval.identities, approval.requestedAt) !== undefined,
        countsAsVoter: voterLink(behind, delegatorId, selves(delegatorId), other) !== undefined,
        voted: cast.some((vote) => (vote.onBehalfOf ?? vote.memberId) === delegatorId),
      }
      const samePerson = last.behindRequest || last.countsAsVoter
      if (!last.voted && !(samePerson && settings.separationOfDuties === 'required')) return last
    }
    return last
  }
}

const votersOf = ({ memberId, onBehalfOf }: CastVote): string[] =>
  onBehalfOf === null ? [memberId] : [memberId, onBehalfOf]

/** Why a member counts as one of those who have voted, completing "You …": a quorum counts people, not accounts. */
function voterLink(
  behind: (memberIds: readonly string[]) => Identity[],
  memberId: string,
  selves: Selves,
  cast: readonly CastVote[],
): string | undefined {
  for (const vote of cast) {
    const ids = votersOf(vote).filter((id) => id !== memberId)
    const link = linkTo(memberId, selves, behind(ids), vote.createdAt)
    if (link !== undefined) return link
  }
  return undefined
}
