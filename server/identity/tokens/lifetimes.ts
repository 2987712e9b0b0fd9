import type { RefreshToken, Session } from 'oidc-provider'
import { runtime } from '#server/kernel/runtime.ts'

/** All values here are in seconds. */
const hour = 3600

/** After this the person has to enter the password again, however active they were. */
export const sessionSeconds = 12 * hour

const now = () => Math.floor(Date.now() / 1000)
// The library requires at least one second, even for an expired artifact.
const remaining = (until: number) => Math.max(1, until - now())

/** Without use, a refresh token lives for an hour, or for two lifetimes of an access token if that is longer. */
function refreshTokenSeconds(token: RefreshToken): number {
  const idle = Math.max(hour, 2 * runtime().config.accessTokenTtl)
  return Math.min(idle, remaining((token.iiat ?? now()) + sessionSeconds))
}

const loginSeconds = (session: Session): number =>
  session.loginTs === undefined ? 10 * 60 : remaining(session.loginTs + sessionSeconds)

const codeSeconds = 60

/** A grant outlives its tokens: the code, the refresh tokens that follow it, and the access token of the last of them. */
const grantSeconds = (accessTokenTtl: number): number => codeSeconds + sessionSeconds + accessTokenTtl

/** oidc-provider's `ttl`. A number for access tokens also overrides the resource's lifetime; here the two are equal. */
export const lifetimes = (accessTokenTtl: number) => ({
  AccessToken: accessTokenTtl,
  ClientCredentials: accessTokenTtl,
  IdToken: accessTokenTtl,
  AuthorizationCode: codeSeconds,
  Interaction: 30 * 60,
  RefreshToken: (_ctx: unknown, token: RefreshToken) => refreshTokenSeconds(token),
  Session: (_ctx: unknown, session: Session) => loginSeconds(session),
  Grant: grantSeconds(accessTokenTtl),
})

/** When a grant that is used in a new authorization ends. */
export const grantEnd = (): number => now() + grantSeconds(runtime().config.accessTokenTtl)
