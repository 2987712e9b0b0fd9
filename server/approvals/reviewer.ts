import type { ReviewerFacts, StandsIn } from '#lib/rules/approvals.ts'
import type { TenantSettings } from '#lib/schemas/tenants.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { LinkRow } from '#server/tenants/account-link-store.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { findGroupsOf } from '#server/tenants/group-store.ts'
import {
  type Identity,
  identitiesOfVoters,
  linkTo,
  type Selves,
  selvesOf,
  selvesOfPerson,
} from '#server/tenants/identities.ts'
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
  const votes = findVotesOn(tx, tenant.id, [approval.id])
  const [facts] = await reviewerFactsOfAll(tx, tenant, principal, [approval], votes)
  if (facts === undefined) throw new Error('unreachable: one row in, one out')
  return facts
}

/** As reviewerFacts, for a page of approvals. `read`: the votes on all of them, oldest first. */
export async function reviewerFactsOfAll(
  tx: Transaction,
  tenant: Tenant,
  principal: Principal,
  approvals: readonly Row[],
  read: Promise<readonly CastVote[]>,
): Promise<ReviewerFacts[]> {
  const self = principal.memberId
  const asked = [...new Set(approvals.map((approval) => approval.groupId))]
  const [memberships, groupNames, seats, votes, ownSelves] = await Promise.all([
    findGroupsOf(tx, tenant.id, self),
    findGroupNames(tx, tenant.id, asked),
    principal.kind === 'person' ? seatsOf(tx, tenant.id, self) : [],
    read,
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
  const votesOn = Map.groupBy(votes, ({ approvalId }) => approvalId)
  const settings = settingsOf(tenant)
  return approvals.map((approval) =>
    factsFrom(settings, principal, approval, {
      inGroup: groups.has(approval.groupId),
      groupName: names.get(approval.groupId),
      seats: seats.filter((seat) => seat.groupId === approval.groupId),
      votes: votesOn.get(approval.id) ?? [],
      selves,
      actor,
      behind,
    }),
  )
}

/** What determines who can decide a request, as it was read. */
type Read = {
  /** Whether the caller has a seat in the group of the request. */
  inGroup: boolean
  groupName: string | undefined
  /** Seats in that group which the caller can use as a delegate. */
  seats: readonly Seat[]
  votes: readonly CastVote[]
  selves(memberId: string): Selves
  actor(memberId: string): { displayName: string }
  behind(memberIds: readonly string[]): Identity[]
}

function factsFrom(settings: TenantSettings, principal: Principal, approval: Row, read: Read): ReviewerFacts {
  const { inGroup, groupName, seats, selves, actor, behind } = read
  const self = principal.memberId
  const cast = countedVotes(read.votes, approval, approval.terms)
  const substitute = cast.find((vote) => vote.onBehalfOf === self)
  const voted = cast.some((vote) => vote.memberId === self)
  return {
    status: approval.status,
    expired: approval.expired,
    mayDecide: principal.permissions.has('approval:decide'),
    machine: principal.kind !== 'person',
    machineDecisions: isStrict(approval) ? 'off' : settings.machineDecisions,
    separationOfDuties: isStrict(approval) ? 'required' : settings.separationOfDuties,
    identityLink: linkTo(self, selves(self), approval.identities, approval.requestedAt),
    inGroup,
    groupName: groupName ?? 'the approver group',
    voted,
    voterLink: voted ? undefined : voterLink(behind, self, selves(self), cast),
    votedInPlace: substitute === undefined ? undefined : actor(substitute.memberId).displayName,
    standsIn: inGroup || isStrict(approval) ? undefined : standsIn(),
  }

  /** The first usable seat, or else one whose facts explain why it is not usable. */
  function standsIn(): StandsIn | undefined {
    let last: StandsIn | undefined
    for (const { delegatorId, delegatorName } of seats) {
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

/**
 * The facts of a person without delegators, about a request without votes: what was read with the request is sufficient.
 */
export const factsOfFirst = (
  tenant: Tenant,
  principal: Principal,
  approval: Row,
  { inGroup, groupName, links }: { inGroup: boolean; groupName: string | undefined; links: readonly LinkRow[] },
): ReviewerFacts =>
  factsFrom(settingsOf(tenant), principal, approval, {
    inGroup,
    groupName,
    seats: [],
    votes: [],
    selves: (memberId) => selvesOfPerson(memberId, links),
    actor: () => {
      throw new Error('unreachable: a request without votes')
    },
    behind: () => [],
  })

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
