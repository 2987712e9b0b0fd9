import { ApiError } from '#lib/errors.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { accessDenied } from './access-denied.ts'
import { isTokenLive } from './connection-tokens/token-store.ts'
import { effectiveRoles } from './effective-roles.ts'
import { isOutdated } from './outdated.ts'
import type { Caller, Principal } from './principal.ts'
import { findCaller } from './store.ts'

/** Returns why an open stream of `principal` must end, by the stored membership and settings, or undefined if it may continue. */
export function lossOf(
  member: { kind: string; status: string; roles: string[]; tokensNotBefore: Date | null } | undefined,
  principal: Principal,
  settings: unknown,
): ApiError | undefined {
  if (member?.status !== 'active') return accessDenied()
  const roles = effectiveRoles(member, principal.token, settings)
  if (!principal.roles.every((role) => roles.includes(role))) return accessDenied()
  return isOutdated(member, principal) ? expired() : undefined
}

const expired = () => new ApiError('unauthorized', 'The token has expired.')

/** Longest delay of a timer, in milliseconds; longer ones would fire immediately. */
const longestTimer = 2 ** 31 - 1

/**
 * Watches a caller while a socket or stream is open: `onLost` is called once, when the token expires, its family ends, or the
 * membership is suspended, removed or loses a role, or the connection token is revoked. The database notifies of each change
 * of a membership or of how the tenant reads roles, the identity provider of the end of a family, revocation of a token. All are then read again, as they are after an interruption of the notifications. Returns a
 * function that stops watching.
 */
export function watchCaller({ tenant, principal }: Caller, onLost: (error: ApiError) => void): () => void {
  const { database, listener, log } = runtime()
  let watching = true
  let timer: NodeJS.Timeout | undefined
  const lose = (error: ApiError) => {
    if (!watching) return
    stop()
    onLost(error)
  }
  const look = () => {
    if (!watching) return
    const { issuer, subject, family, connection } = principal
    Promise.all([
      database.inDirectory((tx) => findCaller(tx, { id: tenant.id, externalId: undefined, issuer, subject, family })),
      connection === undefined || database.inTenant(tenant.id, (tx) => isTokenLive(tx, tenant.id, connection.id)),
    ]).then(
      ([found, isLive]) => {
        // Without access, the end of the sign-in is not the reason: a new one would not help.
        const lost = lossOf(found?.member, principal, found?.tenant.settings)
        if (lost !== undefined) lose(lost)
        else if (found?.familyEnded === true || !isLive) lose(expired())
      },
      (error: unknown) => {
        log.warn({ err: error }, 'a membership could not be read; its socket or stream ends')
        lose(new ApiError('unavailable', 'Your membership could not be checked. Connect again.'))
      },
    )
  }
  const arm = () => {
    const remaining = principal.expiresAt - Date.now()
    if (remaining <= 0) lose(expired())
    else timer = setTimeout(arm, Math.min(remaining, longestTimer))
  }
  const off = [
    listener.on('member', principal.memberId, look),
    ...(principal.token?.claims === undefined ? [] : [listener.on('tenant', tenant.id, look)]),
    ...(principal.family === undefined ? [] : [listener.on('family', principal.family.id, look)]),
  ]
  const stop = () => {
    watching = false
    clearTimeout(timer)
    for (const one of off) one()
  }
  arm()
  // Catches changes between the authentication and now.
  look()
  return stop
}
