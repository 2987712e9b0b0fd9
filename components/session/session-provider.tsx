'use client'

import {
  createContext,
  type ReactNode,
  useContext,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
} from 'react'
import { ApiProvider, useLive } from '#components/api/api.tsx'
/**
 * The signed-in person, and their permissions in the tenant of the address.
 *
 *   <SessionProvider tenant={externalId}>      around everything of a tenant; app/t/[tenant]/tenant-frame.tsx
 *   useSession()                               in pages: { me, tenant, can(permission), ended, signInAgain, signOut }
 *   useTenantSession()                         in the frame: the session as a state, also before it is known
 *
 * `me` is session.me: principal (id, displayName, roles, permissions, groups), tenant, settings. Pages are only shown
 * once it is known, so pages need not check for a session. If the session ends in the meantime, they stay, and `ended`
 * becomes true. Data: lib/trpc.ts (useTRPC) and useApi(); errors: request-failed.tsx.
 */
import { useQuery, useQueryClient } from '#components/api/query.ts'
import { useOwnLanguage } from '#components/language/use-own-language.ts'
import type { Failure } from '#lib/failure.ts'
import { signInPath } from '#lib/paths.ts'
import type { Permission } from '#lib/permissions.ts'
import type { Session as Me } from '#lib/schemas/tenants.ts'
import { toFailure, useTRPC } from '#lib/trpc.ts'
import { rememberOrganisation } from './last-organisation.ts'
import { type Identity, type SessionState, session } from './session.ts'
import { useMembershipWatch } from './use-membership-watch.ts'

export type Session = {
  me: Me
  /** External id, as in the address. */
  tenant: string
  identity: Identity
  can: (permission: Permission) => boolean
  /** The session is over; requests fail until the person signs in again. */
  ended: boolean
  /** Opens a window to sign in again; this page then continues. */
  signInAgain: () => void
  signOut: () => void
}

/** The state that the frame shows. */
export type TenantSession =
  | { status: 'starting' | 'leaving' | 'unreachable' | 'unsupported' }
  | { status: 'signed-out'; elsewhere: boolean }
  /** Signed in, but not a member of the tenant in the address. */
  | {
      status: 'denied'
      identity: Identity /** Its name, when the person was let in until now. */
      lost: string | undefined
    }
  | { status: 'failed'; failure: Failure; retry: () => void }
  | { status: 'ready'; session: Session }

const TenantSessionContext = createContext<TenantSession>({ status: 'starting' })

export const useTenantSession = (): TenantSession => useContext(TenantSessionContext)

/** Returns the session of a page. Throws before sign-in, when pages are not shown. */
export function useSession(): Session {
  const state = useTenantSession()
  if (state.status !== 'ready') throw new Error('useSession() before a person is signed in')
  return state.session
}

/** Polling interval while the socket is down, in milliseconds. */
const pollMs = 300_000

const STARTING: SessionState = { status: 'starting' }

export const useSessionState = (): SessionState =>
  useSyncExternalStore(session.subscribe, session.state, () => STARTING)

const personOf = (state: SessionState): string =>
  'identity' in state ? `${state.identity.issuer} ${state.identity.subject}` : ''

export function SessionProvider({ tenant, children }: { tenant: string; children: ReactNode }) {
  const state = useSessionState()
  useEffect(() => {
    void session.start()
  }, [])
  return (
    <ApiProvider tenant={tenant} person={personOf(state)}>
      <WithMe tenant={tenant} state={state}>
        {children}
      </WithMe>
    </ApiProvider>
  )
}

function WithMe({ tenant, state, children }: { tenant: string; state: SessionState; children: ReactNode }) {
  const trpc = useTRPC()
  const signedIn = state.status === 'signed-in'
  const live = useLive()
  const {
    data: me,
    error,
    refetch,
  } = useQuery(
    trpc.session.me.queryOptions(undefined, {
      enabled: signedIn,
      staleTime: 60_000,
      // The membership's own stream reports changes (use-membership-watch.ts).
      refetchInterval: live ? false : pollMs,
    }),
  )
  useFreshAfterEnd(state.status)
  const leaving = useOwnLanguage(me)
  const failure = useMemo(() => (error === null ? undefined : toFailure(error)), [error])
  const denied = failure?.code === 'tenant_access_denied'
  useMembershipWatch(signedIn && me !== undefined && !denied, () => void refetch())
  const organisation = 'identity' in state ? state.identity.organisation : undefined
  useEffect(() => {
    if (me === undefined || organisation === undefined) return
    rememberOrganisation({ slug: organisation, tenant: me.tenant.externalId })
    // Links in mails name it for the sign-in, which is over.
    const { history, location } = window
    const at = new URL(location.href)
    if (at.searchParams.has('organisation')) {
      at.searchParams.delete('organisation')
      history.replaceState(history.state, '', at)
    }
  }, [me, organisation])
  const value = useMemo((): TenantSession => {
    if (state.status !== 'signed-in' && state.status !== 'ended') return state
    const { identity, status } = state
    if (leaving) return STARTING_TENANT
    if (denied) return { status: 'denied', identity, lost: me?.tenant.displayName }
    if (me !== undefined) return { status: 'ready', session: sessionOf(me, tenant, identity, status === 'ended') }
    if (status === 'ended') return { status: 'signed-out', elsewhere: false }
    return failure === undefined ? STARTING_TENANT : { status: 'failed', failure, retry: () => void refetch() }
  }, [state, me, failure, denied, leaving, refetch, tenant])
  // The first render of a page takes long on a phone. As a deferred one it is interrupted by what the person does. What hides a page,
  // such as a sign-out or a suspension, is never deferred.
  const deferred = useDeferredValue(value, STARTING_TENANT)
  return <TenantSessionContext value={value.status === 'ready' ? deferred : value}>{children}</TenantSessionContext>
}

/** Reloads failed queries after the person has signed in again. */
function useFreshAfterEnd(status: SessionState['status']): void {
  const queryClient = useQueryClient()
  const before = useRef(status)
  useEffect(() => {
    if (before.current === 'ended' && status === 'signed-in') void queryClient.invalidateQueries()
    before.current = status
  }, [status, queryClient])
}

const STARTING_TENANT: TenantSession = { status: 'starting' }

function sessionOf(me: Me, tenant: string, identity: Identity, ended: boolean): Session {
  const permissions = new Set(me.principal.permissions)
  return {
    me,
    tenant,
    identity,
    can: (permission) => permissions.has(permission),
    ended,
    signInAgain: () => void window.open(signInPath({ organisation: identity.organisation, again: '1' }), '_blank'),
    signOut: () => void session.signOut(),
  }
}
