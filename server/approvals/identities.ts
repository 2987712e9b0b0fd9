import type { Transaction } from '#server/kernel/db/database.ts'
import { findMembers, findSponsors } from '#server/tenants/store.ts'

/** A person who counts as the requester; `link` is the end of a sentence that starts with "You". */
export type Identity = { personId: string; link: string }

/** A member who would benefit from a request. `link` completes "You …", `role` completes "…, which …". */
export type Party = { memberId: string; link: string; role: string }

/**
 * The people behind a request: the requester, the given owners of agents, the parties, and anyone who created or rotated a
 * service account among them. Separation of duties applies to the person, not to the account.
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

/** Why `memberId` counts as the requester, or undefined. A service account is treated like the people who created it. */
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
