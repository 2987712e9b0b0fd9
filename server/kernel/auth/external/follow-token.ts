import type { JWTPayload } from 'jose'
import type { Tenant } from '../principal.ts'
import type { Member } from '../store.ts'

/** A verified token of an external issuer, in the tenant that it is for. */
export type ForeignToken = { issuer: string; claims: JWTPayload; issuedAt: number }

/**
 * Applies what a member's token says that no earlier one has said: its groups and, if the tenant's roles come from tokens, its roles.
 * Runs in a separate transaction, and returns the member as it is then.
 */
export type FollowToken = (tenant: Tenant, member: Member, token: ForeignToken, requestId: string) => Promise<Member>

// Filled once by server/jobs.ts: the tenants domain owns members, and the kernel imports no domain.
let act: FollowToken | undefined

export function onForeignToken(follow: FollowToken): void {
  act = follow
}

export const followToken: FollowToken = (...call) => {
  if (act === undefined) throw new Error('No domain follows the tokens of external issuers.')
  return act(...call)
}

/** Whether the token can say something that the member's newest token has not said. */
export const isNews = ({ tokenIssuedAt }: Member, { issuedAt }: ForeignToken): boolean =>
  tokenIssuedAt === null || issuedAt > tokenIssuedAt.getTime()
