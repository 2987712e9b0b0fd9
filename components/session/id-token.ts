import * as t from '#components/texts/session/en.ts'

/** Claims of an id_token; oidc-client-ts checks its nonce and its subject. */
type Claims = { iss: string; aud: string | string[] }

/**
 * Why an id_token does not sign anyone in here, or undefined if it does (OpenID Connect Core, 3.1.3.7): it must come from the
 * issuer that was asked, for this client. The signature is not checked: the token came from the provider itself, over TLS.
 */
export function whyNotForUs({ iss, aud }: Claims, asked: { issuer: string; clientId: string }): string | undefined {
  if (iss !== asked.issuer) return t.otherOrganisation
  if (![aud].flat().includes(asked.clientId)) return t.otherApplication
}

/**
 * Why the response in the redirect to this page is not answered with a token request, or undefined if it is (RFC 9207): a provider
 * that names itself must be the one that was asked. Providers that do not are only told apart by their id_token.
 */
export function whyNotFromAsked(address: string, asked: { issuer: string }): string | undefined {
  const iss = new URL(address).searchParams.get('iss')
  if (iss !== null && iss !== asked.issuer) return t.otherOrganisation
}
