import type { Transaction } from '#server/kernel/db/database.ts'
import { findMembers, findSponsors } from '#server/tenants/store.ts'

/** A person who is one identity with the requester, and how: the end of a sentence that begins with "You". */
export type Identity = { personId: string; link: string }

/** A member who would gain by a request. `link` ends "You …", `role` ends "…, which/who …". */
export type Party = { memberId: string; link: string; role: string }

/**
 * The people behind a request: the requester, the agents' owners given, and whoever created or rotated a service account
 * among them. Separation of duties works on the person, not on the account.
 */
export async function identitiesBehind(
  tx: Transaction,
  tenantId: string,
  {
    requestedBy,
    owners,
    parties = [],
  }: { requestedBy: string; owners: readonly string[]; parties?: readonly Party[] | undefined },
): Promise<Identity[]> {
  const gains = new Map(parties.map((party) => [party.memberId, party]))
  const ids = [...new Set([requestedBy, ...owners, ...gains.keys()])]
  const members = await findMembers(tx, tenantId, ids)
  const role = (memberId: string) =>
    memberId === requestedBy ? 'asked for this' : (gains.get(memberId)?.role ?? 'owns the agent')
  const link = (memberId: string) =>
    memberId === requestedBy ? 'asked for this' : (gains.get(memberId)?.link ?? 'own the agent')
  const direct = members
    .filter((member) => member.kind === 'person')
    .map((member) => ({ personId: member.id, link: link(member.id) }))
  const sponsored = (await findSponsors(tx, tenantId, ids)).map((sponsor) => ({
    personId: sponsor.personId,
    link: `${sponsor.link} the service account ${sponsor.memberName}, which ${role(sponsor.memberId)}`,
  }))
  const byPerson = new Map<string, Identity>()
  for (const identity of [...direct, ...sponsored])
    if (!byPerson.has(identity.personId)) byPerson.set(identity.personId, identity)
  return [...byPerson.values()]
}

/** How `memberId` is one identity with the requester, or undefined. A machine is as bound as the people who made it. */
export async function identityLink(
  tx: Transaction,
  tenantId: string,
  memberId: string,
  identities: readonly Identity[],
): Promise<string | undefined> {
  const own = identities.find((identity) => identity.personId === memberId)
  if (own !== undefined) return own.link
  const sponsors = new Set((await findSponsors(tx, tenantId, [memberId])).map((sponsor) => sponsor.personId))
  return identities.find((identity) => sponsors.has(identity.personId)) === undefined
    ? undefined
    : 'belong to the person who asked for this'
}
