import { type AccountLink, type Counterpart, counterpartsOf, isSameActor } from '#lib/rules/identity.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findLinksAround, type LinkRow } from './account-link-store.ts'
import { findMembers, findSponsors } from './store.ts'

// The one module that decides who is the same person: every check of separation of duties asks it.

/** A person who counts as the requester. `link` completes "You …", `role` completes "the person who …". */
export type Identity = { personId: string; link: string; role?: string }

/** A member who would benefit from a request. `link` completes "You …", `role` completes "…, which …". */
export type Party = { memberId: string; link: string; role: string }

/** What someone did to a service account, before its name. Each made them one person with it. */
const didTo: Record<string, string> = {
  created: 'created the service account',
  rotated: 'rotated the secret of the service account',
  token: 'created a connection token of the service account',
}

/** Members who do something together, with what each has to do with it. */
type Involved = { memberId: string; link: string; role: string }

/**
 * The people behind a request: the requester, the given owners of agents, the parties, and anyone who created or rotated a
 * service account among them. Separation of duties applies to the person, not to the account. People who count as one of
 * these by an invitation or a reset are not among them: `identityLink` adds them, because that changes with time.
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
  return await peopleBehind(tx, tenantId, [
    { memberId: requestedBy, link: 'asked for this', role: 'asked for this' },
    ...parties,
    ...owners.map((memberId) => ({ memberId, link: 'own the agent', role: 'owns the agent' })),
  ])
}

/** The people behind these members, each with the first of their links. */
async function peopleBehind(tx: Transaction, tenantId: string, involved: readonly Involved[]): Promise<Identity[]> {
  const ids = involved.map(({ memberId }) => memberId)
  return (await peopleBehindAny(tx, tenantId, ids))(involved)
}

/** Returns the people behind some of these members. */
async function peopleBehindAny(
  tx: Transaction,
  tenantId: string,
  memberIds: readonly string[],
): Promise<(involved: readonly Involved[]) => Identity[]> {
  const ids = [...new Set(memberIds)]
  const [members, sponsors] = await Promise.all([findMembers(tx, tenantId, ids), findSponsors(tx, tenantId, ids)])
  const people = new Set(members.filter((member) => member.kind === 'person').map(({ id }) => id))
  return (involved) => {
    const first = new Map<string, Involved>()
    for (const one of involved) if (!first.has(one.memberId)) first.set(one.memberId, one)
    const identities: Identity[] = []
    const add = (identity: Identity) => {
      if (!identities.some(({ personId }) => personId === identity.personId)) identities.push(identity)
    }
    for (const { memberId, link, role } of first.values())
      if (people.has(memberId)) add({ personId: memberId, link, role })
    for (const sponsor of sponsors) {
      const sponsored = first.get(sponsor.memberId)
      if (sponsored === undefined) continue
      const did = didTo[sponsor.link] ?? 'can use the service account'
      const role = `${did} ${sponsor.memberName}, which ${sponsored.role}`
      add({ personId: sponsor.personId, link: role, role })
    }
    return identities
  }
}

/** The members who count as the same person as each of these, and the people behind those that are machines. */
export type Selves = { people: readonly string[]; counterparts: readonly Counterpart[] }

export async function selvesOf(
  tx: Transaction,
  tenantId: string,
  memberIds: readonly string[],
): Promise<(memberId: string) => Selves> {
  const ids = [...new Set(memberIds)]
  const [sponsors, ownLinks] = await Promise.all([findSponsors(tx, tenantId, ids), accountLinks(tx, tenantId, ids)])
  const links =
    sponsors.length === 0
      ? ownLinks
      : await accountLinks(tx, tenantId, [...ids, ...sponsors.map(({ personId }) => personId)])
  const known = new Map<string, Selves>()
  for (const id of ids) {
    const people = [id, ...sponsors.filter(({ memberId }) => memberId === id).map(({ personId }) => personId)]
    known.set(id, { people, counterparts: people.flatMap((person) => counterpartsOf(person, links)) })
  }
  return (memberId) => known.get(memberId) ?? { people: [memberId], counterparts: [] }
}

/** Why these selves count as one of the people behind what was done at `at`, completing "You …"; or undefined. */
export function linkTo(
  memberId: string,
  selves: Selves,
  identities: readonly Identity[],
  at: Date,
): string | undefined {
  const own = identities.find(({ personId }) => personId === memberId)
  if (own !== undefined) return own.link
  const sponsor = identities.find(({ personId }) => selves.people.includes(personId))
  if (sponsor !== undefined) return `belong to the person who ${sponsor.role ?? 'asked for this'}`
  for (const counterpart of selves.counterparts) {
    const identity = identities.find(({ personId }) => personId === counterpart.memberId)
    if (identity !== undefined && isSameActor(counterpart, at))
      return counterpart.link(identity.role ?? 'asked for this')
  }
  return undefined
}

/** Why `memberId` counts as one of the people behind what was done at `at`, completing "You …"; or undefined. */
export async function identityLink(
  tx: Transaction,
  tenantId: string,
  memberId: string,
  identities: readonly Identity[],
  at: Date,
): Promise<string | undefined> {
  return linkTo(memberId, (await selvesOf(tx, tenantId, [memberId]))(memberId), identities, at)
}

/** Why `memberId` counts as another member now, completing "You …"; `role` says what that one has to do with the matter. */
export async function samePerson(
  tx: Transaction,
  tenantId: string,
  memberId: string,
  other: { memberId: string; link: string; role: string },
): Promise<string | undefined> {
  return await identityLink(tx, tenantId, memberId, await peopleBehind(tx, tenantId, [other]), new Date())
}

/** Returns the people behind some of these members, who have voted: two votes of one person are not two people's. */
export async function identitiesOfVoters(
  tx: Transaction,
  tenantId: string,
  memberIds: readonly string[],
): Promise<(memberIds: readonly string[]) => Identity[]> {
  if (memberIds.length === 0) return () => []
  const behind = await peopleBehindAny(tx, tenantId, memberIds)
  const role = 'has already decided this request'
  return (ids) => behind(ids.map((memberId) => ({ memberId, link: 'have already decided this request', role })))
}

/** The selves of a person, from the links around them: only machines have sponsors. */
export const selvesOfPerson = (memberId: string, links: readonly LinkRow[]): Selves => ({
  people: [memberId],
  counterparts: counterpartsOf(memberId, links.map(linkOf)),
})

const accountLinks = async (tx: Transaction, tenantId: string, memberIds: readonly string[]): Promise<AccountLink[]> =>
  (await findLinksAround(tx, tenantId, [...new Set(memberIds)])).map(linkOf)

function linkOf(row: LinkRow): AccountLink {
  return {
    id: row.id,
    accountId: row.accountId,
    accountName: row.accountName,
    holder: row.holder,
    holderId: row.holderId ?? undefined,
    holderName: row.holderName ?? 'one person',
    kind: row.kind === 'reset' ? 'reset' : 'invited',
    at: row.createdAt,
    proved:
      row.provedAt === null
        ? undefined
        : { by: row.proof === 'mail' ? 'mail' : row.proof === 'vouch' ? 'vouch' : 'operator', at: row.provedAt },
  }
}
