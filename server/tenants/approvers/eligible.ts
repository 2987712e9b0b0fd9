import { ApiError } from '#lib/errors.ts'
import { permissionsOf } from '#lib/permissions.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findGroupMembers } from '../group-store.ts'
import { type Identity, linkTo, type Selves, selvesOf } from '../identities.ts'
import { settingsOf } from '../view.ts'

type Group = { id: string; displayName: string }
export type EligibleMember = { id: string; kind: string; email: string | null }

/** The members of the group who could vote on a request of `identities`. */
export async function eligibleMembers(
  tx: Transaction,
  tenant: Tenant,
  group: Group,
  identities: readonly Identity[],
  requestedAt?: Date,
): Promise<EligibleMember[]> {
  return (await eligible(tx, tenant, group, identities, requestedAt)).members
}

async function eligible(
  tx: Transaction,
  tenant: Tenant,
  group: Group,
  identities: readonly Identity[],
  requestedAt = new Date(),
) {
  const settings = settingsOf(tenant)
  const able = (await findGroupMembers(tx, tenant.id, group.id)).filter(
    (member) =>
      (member.kind === 'person' || settings.machineDecisions === 'on') &&
      permissionsOf(member.roles).has('approval:decide'),
  )
  const selves = await selvesOf(
    tx,
    tenant.id,
    able.map(({ id }) => id),
  )
  const free = ({ id }: { id: string }) => linkTo(id, selves(id), identities, requestedAt) === undefined
  return { members: settings.separationOfDuties === 'required' ? able.filter(free) : able, selves }
}

/**
 * The eligible members of the group. Throws `no_eligible_approver` when they are fewer people than `quorum`. `requestedAt`: when
 * the request was made, if not now.
 */
export async function requireEligible(
  tx: Transaction,
  tenant: Tenant,
  group: Group,
  identities: readonly Identity[],
  quorum: number,
  requestedAt?: Date,
): Promise<EligibleMember[]> {
  const { members, selves } = await eligible(tx, tenant, group, identities, requestedAt)
  const people = new Set(personOf(tenant, members, selves).values()).size
  if (people < quorum) throw tooFew(group, quorum, people)
  return members
}

/** The same for stages, of which one person counts in one. Returns the eligible members of the first stage. */
export async function requireEligibleStages(
  tx: Transaction,
  tenant: Tenant,
  stages: readonly { group: Group; quorum: number }[],
  identities: readonly Identity[],
): Promise<EligibleMember[]> {
  const members: EligibleMember[][] = []
  for (const { group, quorum } of stages) members.push(await requireEligible(tx, tenant, group, identities, quorum))
  const [first = [], ...later] = members
  if (later.length === 0) return first
  const all = [...new Map(members.flat().map((member) => [member.id, member])).values()]
  const selves = await selvesOf(
    tx,
    tenant.id,
    all.map(({ id }) => id),
  )
  const person = personOf(tenant, all, selves)
  const seats = stages.flatMap(({ quorum }, index) =>
    Array.from({ length: quorum }, () => (members[index] ?? []).flatMap(({ id }) => person.get(id) ?? [])),
  )
  if (!canSeat(seats))
    throw new ApiError(
      'no_eligible_approver',
      `Not enough different people in ${stages.map(({ group }) => group.displayName).join(', ')}: one person counts in one stage.`,
    )
  return first
}

const tooFew = ({ displayName }: Group, quorum: number, people: number): ApiError =>
  new ApiError(
    'no_eligible_approver',
    `Not enough eligible members in ${displayName}: ${quorum} required, ${people} eligible.`,
  )

/** A number for each person behind these members: those who count as one person have one vote. */
function personOf(
  tenant: Tenant,
  members: readonly EligibleMember[],
  selves: (memberId: string) => Selves,
): Map<string, number> {
  const required = settingsOf(tenant).separationOfDuties === 'required'
  const people: string[] = []
  const known = new Map<string, number>()
  for (const { id } of members) {
    const { people: own, counterparts } = selves(id)
    const same = (other: string) =>
      selves(other).people.some((person) => own.includes(person)) ||
      counterparts.some(({ memberId, until }) => until === undefined && selves(other).people.includes(memberId))
    const found = required ? people.findIndex(same) : -1
    known.set(id, found === -1 ? people.push(id) - 1 : found)
  }
  return known
}

/** Whether each seat can have a person of its own, by augmenting paths (Kuhn’s algorithm). `seats`: who could take each seat. */
export function canSeat(seats: readonly (readonly number[])[]): boolean {
  const seatOf = new Map<number, number>()
  const take = (seat: number, tried: Set<number>): boolean =>
    (seats[seat] ?? []).some((person) => {
      if (tried.has(person)) return false
      tried.add(person)
      const taken = seatOf.get(person)
      if (taken !== undefined && !take(taken, tried)) return false
      seatOf.set(person, seat)
      return true
    })
  return seats.every((_, seat) => take(seat, new Set()))
}
