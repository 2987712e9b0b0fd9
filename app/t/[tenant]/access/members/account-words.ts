import * as t from '#components/texts/access-members/en.ts'
import type { AccountSource, Member } from '#lib/schemas/members.ts'

/** The part of an issuer that people know it by. */
export const hostOf = (issuer: string): string => new URL(issuer).host

/** Whether an invitation creates an account here; undefined: a server of the version before, which does not say. */
export const invitesHere = (source: AccountSource | undefined): boolean => (source?.provider ?? null) === null

/** Says where accounts come from, if invitations create none of them, or not all. */
export function accountNote(source: AccountSource | undefined): string | undefined {
  if (source === undefined) return undefined
  const { provider, scim } = source
  if (provider !== null) return t.accountsAreAt({ host: hostOf(provider), scim: String(scim === provider) })
  return scim === null ? undefined : t.scimManagesPeople({ host: hostOf(scim) })
}

/** Where a member signs in. */
export function whereMemberSignsIn({ isForeign, issuer }: Pick<Member, 'isForeign' | 'issuer'>): string {
  if (issuer != null) return t.memberWhoSignsInAt({ host: hostOf(issuer) })
  return isForeign ? t.memberWhoSignsIn : t.memberOfThisOrganisation
}
