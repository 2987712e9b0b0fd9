import type { User } from 'oidc-client-ts'
import type { AccessToken } from '#lib/api-fetch.ts'
import { makeProof } from '#lib/dpop.ts'
import type { Vault } from './vault.ts'

/** An access token, as tabs exchange it. Times are this device's, in epoch milliseconds. */
export type Token = {
  text: string
  /** How it is presented: a provider that does not offer DPoP gives plain bearer tokens. */
  scheme: 'Bearer' | 'DPoP'
  expiresAt: number
  renewAt: number
  /** By how much the provider's clock is ahead of this device's, in milliseconds: proofs are checked against the provider's clock. */
  aheadMs: number
}

/** Fraction of a token's lifetime after which it is renewed. */
const renewAfter = 0.75

/** The token that the provider just issued. */
export function tokenOf(user: User): Token {
  const life = (user.expires_in ?? 60) * 1000
  const now = Date.now()
  return {
    text: user.access_token,
    scheme: user.token_type.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer',
    expiresAt: now + life,
    renewAt: now + life * renewAfter,
    aheadMs: (user.profile.iat ?? now / 1000) * 1000 - now,
  }
}

/** Prepares `token` for requests: each request gets its own proof, signed with the vault's key. */
export const presented = ({ text, scheme, aheadMs }: Token, vault: Vault): AccessToken => ({
  text,
  async headersFor(request): Promise<Record<string, string>> {
    if (scheme === 'Bearer') return { authorization: `Bearer ${text}` }
    const dpop = await makeProof(await vault.proofKeys(), request, text, Date.now() + aheadMs)
    return { authorization: `DPoP ${text}`, dpop }
  },
})
