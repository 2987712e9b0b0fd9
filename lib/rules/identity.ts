import { dateFormat } from '#lib/formatters.ts'

// When two accounts count as one person for separation of duties. The rules are pure; server/tenants/identities.ts has the facts.

/** One time that a person invited or reset an account, and so could have taken it. Times are instants. */
export type AccountLink = {
  id: string
  /** The account, as a member of this tenant. */
  accountId: string
  accountName: string
  /** The principal who invited or reset it, in a form that can be compared. */
  holder: string
  /** The same person as a member of this tenant; undefined if they are not a member. */
  holderId: string | undefined
  holderName: string
  kind: 'invited' | 'reset'
  at: Date
  /** Undefined until it is proved that the account's holder controls it. */
  proved: { by: 'mail' | 'operator' | 'vouch'; at: Date } | undefined
}

/** A member who counts as the same person. */
export type Counterpart = {
  memberId: string
  /** What it is to this person: who invited or reset their account, an account that they did this to, or another one of its holder. */
  as: 'holder' | 'account' | 'sibling'
  /** What the member did before this time is still the act of this person. Undefined: the two are still one person. */
  until: Date | undefined
  /** Completes "You …"; `role` says what the counterpart has to do with the matter, as in "asked for this". */
  link(role: string): string
}

/** `23 Nov 2026`, in UTC. */
const day = (at: Date): string =>
  dateFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(at)

/** Until when acts of the account are also acts of the person who holds the link. Undefined: never, because a voucher answers for them. */
function actsUntil(link: AccountLink): { until: Date | undefined } | undefined {
  if (link.proved === undefined) return { until: undefined }
  return link.proved.by === 'vouch' ? undefined : { until: link.proved.at }
}

const proofOf = (link: AccountLink): string =>
  link.proved === undefined
    ? 'until it is proved that its holder controls it, you count as one person'
    : `it was proved only on ${day(link.proved.at)} that its holder controls it, and this is older`

/**
 * The members who count as the same person as `memberId`, by the links of all accounts that this member or one of the
 * member's link holders invited or reset. The relation is not transitive, but two accounts with one link holder are one.
 */
export function counterpartsOf(memberId: string, links: readonly AccountLink[]): Counterpart[] {
  const found: Counterpart[] = []
  const own = links.filter((link) => link.accountId === memberId && link.proved === undefined)
  for (const { holderId, kind, at } of own)
    if (holderId !== undefined && holderId !== memberId)
      found.push({
        memberId: holderId,
        as: 'holder',
        until: undefined,
        link: (role) =>
          `use an account that was ${kind} on ${day(at)} by the person who ${role}; until it is proved that you control it, you count as one person`,
      })
  for (const link of links) {
    if (link.accountId === memberId) continue
    const acts = actsUntil(link)
    if (acts === undefined) continue
    if (link.holderId === memberId)
      found.push({
        memberId: link.accountId,
        as: 'account',
        ...acts,
        link: (role) =>
          `${link.kind} the account ${link.accountName}, which ${role}, on ${day(link.at)}; ${proofOf(link)}`,
      })
    const shared = own.find(({ holder }) => holder === link.holder)
    if (shared !== undefined)
      found.push({
        memberId: link.accountId,
        as: 'sibling',
        ...acts,
        link: (role) =>
          `use an account that ${shared.holderName} ${shared.kind} on ${day(shared.at)}, and ${shared.holderName} also ${link.kind} the account ${link.accountName}, which ${role}; until it is proved who controls the two, they count as one person`,
      })
  }
  return found
}

/** Whether an act of the counterpart at `at` is also an act of this person. */
export const isSameActor = ({ until }: Counterpart, at: Date): boolean => until === undefined || at < until

/** A row of which the mailed link proves something, if the address was not chosen by its person alone. */
type Provable = { id: string; kind: 'invited' | 'reset'; holder: string; addressConfirmed: boolean }

/**
 * The links that a mail to the account's address proves. The person who invited chose the address; it proves nothing against
 * them, or against anyone who is the same person (`sameAsInviter`), unless someone else confirmed the address.
 */
export function provedByMail<T extends Provable>(
  open: readonly T[],
  invitation: Provable | undefined,
  sameAsInviter: readonly string[],
): T[] {
  if (invitation === undefined || invitation.addressConfirmed) return [...open]
  return open.filter(({ holder }) => holder !== invitation.holder && !sameAsInviter.includes(holder))
}
