import { ApiError } from '#lib/errors.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { accessDenied } from './access-denied.ts'
import { isOutdated } from './outdated.ts'
import type { Caller, Principal } from './principal.ts'
import { findMember } from './store.ts'

/** Returns why an open stream of `principal` must end, by the stored membership, or undefined if it may continue. */
export function lossOf(
  member: { status: string; roles: string[]; tokensNotBefore: Date | null } | undefined,
  principal: Principal,
): ApiError | undefined {
  if (member?.status !== 'active' || !principal.roles.every((role) => member.roles.includes(role)))
    return accessDenied()
  return isOutdated(member, principal) ? new ApiError('unauthorized', 'The token has expired.') : undefined
}

/** Longest delay of a timer, in milliseconds; longer ones would fire immediately. */
const longestTimer = 2 ** 31 - 1

/**
 * Watches a caller while a socket or stream is open: `onLost` is called once, when the token expires or the membership
 * is suspended, removed or loses a role. The database notifies of each change of a membership. The membership is then
 * read again, as it is after an interruption of the notifications. Returns a function that stops watching.
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
    database
      .inTenant(tenant.id, (tx) => findMember(tx, tenant.id, principal.issuer, principal.subject))
      .then(
        (member) => {
          const lost = lossOf(member, principal)
          if (lost !== undefined) lose(lost)
        },
        (error: unknown) => {
          log.warn({ err: error }, 'a membership could not be read; its socket or stream ends')
          lose(new ApiError('unavailable', 'Your membership could not be checked. Connect again.'))
        },
      )
  }
  const arm = () => {
    const remaining = principal.expiresAt - Date.now()
    if (remaining <= 0) lose(new ApiError('unauthorized', 'The token has expired.'))
    else timer = setTimeout(arm, Math.min(remaining, longestTimer))
  }
  const off = listener.on('member', principal.memberId, look)
  const stop = () => {
    watching = false
    clearTimeout(timer)
    off()
  }
  arm()
  // Catches changes between the authentication and now.
  look()
  return stop
}
