import type { Transaction } from '#server/kernel/db/database.ts'
import { findNamesakes } from './first-sign-in-store.ts'

type Names = { username: string; email: string | undefined }

/**
 * The names that a member of an external issuer gets: members keep theirs, including removed members, whose names are in the audit
 * log. The user name gets a suffix if another member has it, and an address that another member has is left out, because members
 * are found by both. The caller serialises (lockFirstSignIns). `memberId`: the member whose names these are already.
 */
export async function namesFor(
  tx: Transaction,
  tenantId: string,
  { issuer, subject, memberId }: { issuer: string; subject: string; memberId?: string | undefined },
  { username, email }: Names,
): Promise<{ username: string; email: string | null }> {
  const others = (await findNamesakes(tx, tenantId, username, email)).filter(({ id }) => id !== memberId)
  return {
    username: others.some((one) => sameText(one.username, username) || sameText(one.email, username))
      ? `${username} (${new URL(issuer).host}, ${subject})`
      : username,
    email: others.some((one) => sameText(one.email, email) || sameText(one.username, email)) ? null : (email ?? null),
  }
}

const sameText = (one: string | null, other: string | undefined): boolean =>
  one !== null && other !== undefined && one.toLowerCase() === other.toLowerCase()
