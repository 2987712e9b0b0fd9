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

/** What a renewal starts from: the person as stored, and the token that it replaces, if this page has one. */
type Before = { person: User; token: Token | undefined }

/** The token that the provider just issued, at a sign-in or, with `before`, at a renewal. */
export function tokenOf(user: User, before?: Before): Token {
  const life = (user.expires_in ?? 60) * 1000
  const now = Date.now()
  return {
    text: user.access_token,
    scheme: user.token_type.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer',
    expiresAt: now + life,
    renewAt: now + life * renewAfter,
    aheadMs: hasNewIdToken(user, before)
      ? (user.profile.iat ?? now / 1000) * 1000 - now
      : (before?.token?.aheadMs ?? 0),
  }
}

/** A renewal need not return an id_token (OpenID Connect Core, 12.2); the person's earlier one says nothing about the time now. */
const hasNewIdToken = (user: User, before: Before | undefined): boolean => user.id_token !== before?.person.id_token

/** Prepares `token` for requests: each request gets its own proof, signed with the vault's key. */
export const presented = ({ text, scheme, aheadMs }: Token, vault: Vault): AccessToken => ({
  text,
  async headersFor(request): Promise<Record<string, string>> {
    if (scheme === 'Bearer') return { authorization: `Bearer ${text}` }
    const dpop = await makeProof(await vault.proofKeys(), request, text, Date.now() + aheadMs)
    return { authorization: `DPoP ${text}`, dpop }
  },
})
