import { createHmac } from 'node:crypto'
import type { Configuration, JWK } from 'oidc-provider'
import { artifactAdapter } from '#server/identity/artifacts/adapter.ts'
import { fetchClientDocument } from '#server/identity/clients/client-document.ts'
import { clientAdapter, consoleClientId } from '#server/identity/clients/clients.ts'
import { renderError } from '#server/identity/pages/error-page.ts'
import { signInPolicy } from '#server/identity/sign-in/interaction-policy.ts'
import { renderSignedOut, renderSignOut } from '#server/identity/sign-in/sign-out-page.ts'
import type { Guard } from '#server/identity/strangers/guard.ts'
import { accessTokenClaims, findAccount } from '#server/identity/tokens/claims.ts'
import { loadExistingGrant } from '#server/identity/tokens/grants.ts'
import { lifetimes } from '#server/identity/tokens/lifetimes.ts'
import { apiResource, resourceServer, scopes } from '#server/identity/tokens/resource.ts'
import { mayFetchDocument } from '#server/identity/tokens/token-rate.ts'
import { proofAlgorithms } from '#server/kernel/auth/challenge.ts'
import type { SigningKey } from '#server/kernel/keys/signing-keys.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { Realm } from './realm.ts'

/** Keycloak's paths, below the realm. */
const protocol = '/protocol/openid-connect'
export const paths = {
  authorization: `${protocol}/auth`,
  token: `${protocol}/token`,
  jwks: `${protocol}/certs`,
  userinfo: `${protocol}/userinfo`,
  end_session: `${protocol}/logout`,
  revocation: `${protocol}/revoke`,
  introspection: `${protocol}/token/introspect`,
} as const

/** Claims of a person's id_token. The console needs all of them, so the scope `openid` is enough. */
const claims = {
  openid: ['sub', 'tenant', 'name', 'preferred_username', 'email'],
  profile: ['name', 'preferred_username'],
  email: ['email'],
}

/** oidc-provider's configuration of one realm. */
export function configurationOf(realm: Realm, keys: SigningKey[], cookieKeys: Buffer[], guard: Guard): Configuration {
  const { accessTokenTtl, baseUrl, tokenAlgorithm } = runtime().config
  const consoleOrigin = new URL(baseUrl).origin
  return {
    adapter: (model) =>
      model === 'Client' ? clientAdapter(guard, realm.slug) : artifactAdapter(realm.tenantId, model),
    jwks: { keys: keys.map(privateJwk) },
    enabledJWA: { idTokenSigningAlgValues: [tokenAlgorithm], dPoPSigningAlgValues: [...proofAlgorithms] },
    clientDefaults: { id_token_signed_response_alg: tokenAlgorithm },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientBasedCORS: (_ctx, origin, client) => client.clientId === consoleClientId && origin === consoleOrigin,
    // Every node's clock is trusted to the second: clock skew must not extend a token's life.
    clockTolerance: 0,
    cookies: cookies(realm, cookieKeys),
    routes: paths,
    responseTypes: ['code'],
    scopes,
    claims,
    conformIdTokenClaims: false,
    subjectTypes: ['public'],
    pkce: { required: () => true },
    ttl: lifetimes(accessTokenTtl),
    interactions: { policy: signInPolicy(realm), url: (_ctx, { uid }) => `${realm.url}/interaction/${uid}` },
    findAccount: (_ctx, subject) => findAccount(realm, subject),
    loadExistingGrant,
    extraTokenClaims: (_ctx, token) => accessTokenClaims(realm, token),
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    // Signing out ends the tokens, too.
    expiresWithSession: () => true,
    renderError: renderError(realm),
    // The library fetches nothing but the documents of clients.
    fetch: (url) => fetchClientDocument(String(url)),
    features: {
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        allowFetch: (ctx) => mayFetchDocument(realm.tenantId, ctx),
        // Seconds.
        cacheDuration: { min: 60, max: 3600 },
      },
      devInteractions: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      // Requests a nonce from callers whose clock is off, whose proofs would otherwise always be too old or too new.
      dPoP: { enabled: true, requireNonce: () => false, nonceSecret: nonceSecret(cookieKeys) },
      clientCredentials: { enabled: true },
      // Only announced in the discovery document: tokens/userinfo.ts answers before the library, which can't read its
      // own JWT access tokens.
      userinfo: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => false },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: renderSignOut(realm),
        postLogoutSuccessSource: renderSignedOut(realm),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => apiResource,
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx, resource, client) =>
          resourceServer(ctx, resource, client, {
            externalId: realm.externalId,
            accessTokenTTL: accessTokenTtl,
            alg: tokenAlgorithm,
          }),
      },
    },
  }
}

/** Separate names and paths for each realm, so that two realms in one browser don't overwrite each other's cookies. */
function cookies({ slug, url }: Realm, keys: Buffer[]): Configuration['cookies'] {
  const prefix = `${url.startsWith('https:') ? '__Secure-' : ''}cs_${slug}`
  const options = { httpOnly: true, sameSite: 'lax', signed: true } as const
  return {
    keys: keys.map((key) => key.toString('base64url')),
    names: { session: `${prefix}_session`, interaction: `${prefix}_interaction`, resume: `${prefix}_resume` },
    long: { ...options, path: `/realms/${slug}` },
    // Without a path these two cookies get the path of their own interaction, so that two tabs can sign in
    // concurrently.
    short: options,
  }
}

/** The same value on every node; 32 bytes. */
const nonceSecret = ([newest]: Buffer[]): Buffer => {
  if (newest === undefined) throw new Error('The realm does not have a cookie key.')
  return createHmac('sha256', newest).update('countersign dpop nonce').digest()
}

function privateJwk(key: SigningKey): JWK {
  const { kty, ...members } = key.privateKey.export({ format: 'jwk' })
  if (kty !== 'EC' && kty !== 'RSA') throw new Error(`The realm key ${key.id} has the unsupported type ${kty}.`)
  return { ...members, kty, kid: key.id, alg: key.algorithm, use: 'sig' }
}
