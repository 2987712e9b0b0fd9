'use client'

import { ErrorResponse, type User } from 'oidc-client-ts'
import * as t from '#components/texts/session/en.ts'
import type { AccessToken, TokenSource } from '#lib/api-fetch.ts'
import { failureOf, RequestError } from '#lib/failure.ts'
import { signedOutPath } from '#lib/paths.ts'
import { presented, type Token, tokenOf } from './credential.ts'
import { whyNotForUs, whyNotFromAsked } from './id-token.ts'
import {
  consoleClientId,
  discoverRealm,
  providerClient,
  type Realm,
  type RealmProblem,
  realmUrl,
} from './provider-client.ts'
import { openVault } from './vault.ts'

/** The person that this browser is signed in as. */
export type Identity = { organisation: string; issuer: string; subject: string; username: string; name: string }

export type SessionState =
  /** Nothing known yet. */
  | { status: 'starting' }
  /** `elsewhere`: the person signed out in another tab just now. */
  | { status: 'signed-out'; elsewhere: boolean }
  | { status: 'signed-in'; identity: Identity }
  /** The provider no longer issues tokens. The page stays as it is until the person signs in again. */
  | { status: 'ended'; identity: Identity }
  /** Redirecting to the provider's pages. */
  | { status: 'leaving' }
  /** The provider did not answer at the start. */
  | { status: 'unreachable' }
  /** The browser lacks what a session needs (site storage, a secure context). */
  | { status: 'unsupported' }

type Message = { type: 'token'; identity: Identity; token: Token } | { type: 'signed-out' }
/** State that is kept during the redirect to the provider. */
type Pending = { realm: Realm; returnTo: string | undefined; helper: boolean }

export type SignInOptions = {
  /** Path to come back to. */
  returnTo?: string | undefined
  /** This window was only opened to sign in again for another one. */
  helper?: boolean
  username?: string
  /** Replaces the current page in the history. */
  replace?: boolean
}

export type SignInOutcome =
  | { done: true; returnTo: string | undefined; helper: boolean }
  | { done: false; reason: string }

const LOCK = 'countersign-session'
const REALM = 'realm'
/** A token this close to its expiry is no longer sent, in milliseconds. */
const marginMs = 5_000
const retryMs = 10_000

const vault = openVault('countersign')

// Owned by this module: one session per page. A reload restores all of it from the vault.
let state: SessionState = { status: 'starting' }
let token: Token | undefined
let started: Promise<void> | undefined
let renewing: Promise<void> | undefined
let timer: ReturnType<typeof setTimeout> | undefined
let channel: BroadcastChannel | undefined
const listeners = new Set<() => void>()

/** Encrypted storage of this browser, wiped at sign-out. */
export const sessionVault = vault

export const session = {
  state: () => state,
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  start,
  retry,
  signIn,
  completeSignIn,
  signOut,
}

export const tokens: TokenSource = {
  async accessToken() {
    await start()
    if (token !== undefined && Date.now() < token.expiresAt - marginMs) return presented(token, vault)
    return await replaceToken(token?.text)
  },
  replaceToken,
  refused: end,
}

/** Restores the session of this browser; later calls wait for the first one. */
function start(): Promise<void> {
  started ??= begin()
  return started
}

function retry(): void {
  started = undefined
  become({ status: 'starting' })
  void start()
}

async function begin(): Promise<void> {
  try {
    listen()
    await renew()
  } catch (error) {
    if (error instanceof RequestError) become({ status: 'unreachable' })
    else if (error instanceof DOMException || error instanceof TypeError) become({ status: 'unsupported' })
    else throw error
  }
}

function listen(): void {
  if (channel !== undefined) return
  if (!isSecureContext) throw new TypeError('WebCrypto and locks require a secure context.')
  channel = new BroadcastChannel(LOCK)
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.type === 'token') adopt(data.identity, data.token)
    else forget({ status: 'signed-out', elsewhere: true })
  }
  // Timers stop while the device sleeps.
  document.addEventListener('visibilitychange', renewIfDue)
  window.addEventListener('online', renewIfDue)
}

function become(next: SessionState): void {
  if (JSON.stringify(next) === JSON.stringify(state)) return
  state = next
  for (const listener of listeners) listener()
}

function adopt(identity: Identity, next: Token): void {
  started ??= Promise.resolve()
  token = next
  clearTimeout(timer)
  // Tabs share a token's times; spread the renewals, so that one tab renews and notifies the others.
  const spread = Math.random() * Math.min(10_000, (next.expiresAt - next.renewAt) / 5)
  timer = setTimeout(renewIfDue, Math.max(0, next.renewAt - Date.now()) + spread)
  become({ status: 'signed-in', identity })
}

function forget(next: SessionState): void {
  token = undefined
  clearTimeout(timer)
  become(next)
}

/** The provider or the API refuses the tokens of this session. */
function end(): void {
  if (state.status === 'signed-in') forget({ status: 'ended', identity: state.identity })
  else if (state.status !== 'ended' && state.status !== 'leaving') forget({ status: 'signed-out', elsewhere: false })
}

function renewIfDue(): void {
  if (state.status !== 'signed-in' || (token !== undefined && Date.now() < token.renewAt)) return
  renew().catch((error: unknown) => {
    if (!(error instanceof RequestError)) throw error
    timer = setTimeout(renewIfDue, retryMs)
  })
}

async function replaceToken(rejected: string | undefined): Promise<AccessToken> {
  if (token !== undefined && token.text !== rejected) return presented(token, vault)
  if (state.status === 'starting' || state.status === 'unreachable' || state.status === 'signed-in')
    await renew(rejected)
  if (token === undefined) throw new RequestError(failureOf('unauthorized', t.notSignedIn, 401))
  return presented(token, vault)
}

/** Renews the token, one renewal at a time across all tabs. Rejects with a RequestError when the provider can't be reached. */
function renew(rejected?: string): Promise<void> {
  renewing ??= navigator.locks
    .request(LOCK, () => renewLocked(rejected))
    .finally(() => {
      renewing = undefined
    })
  return renewing
}

async function renewLocked(rejected: string | undefined): Promise<void> {
  // Another tab may have renewed while this one waited for the lock.
  if (token !== undefined && token.text !== rejected && Date.now() < token.renewAt) return
  const realm = await storedRealm()
  const client = realm && providerClient(realm, vault)
  const known = await client?.stored()
  if (realm === undefined || client === undefined || !known?.refresh_token) return end()
  try {
    const user = await client.renew(known, known.refresh_token)
    if (refusalOf(realm, user) !== undefined) return end()
    share(realm, tokenOf(user, { person: known, token }), user)
  } catch (error) {
    if (error instanceof ErrorResponse) return end()
    throw new RequestError(failureOf('network', t.providerUnreachable), error)
  }
}

const refusalOf = ({ slug }: Realm, { profile }: User): string | undefined =>
  whyNotForUs(profile, { issuer: realmUrl(slug), clientId: consoleClientId })

function share(realm: Realm, next: Token, user: User): void {
  const { iss, sub, name, preferred_username: username = sub } = user.profile
  const identity = { organisation: realm.slug, issuer: iss, subject: sub, username, name: name ?? username }
  adopt(identity, next)
  channel?.postMessage({ type: 'token', identity, token: next } satisfies Message)
}

async function storedRealm(): Promise<Realm | undefined> {
  const text = await vault.get(REALM)
  return text === undefined ? undefined : (JSON.parse(text) as Realm)
}

/** Redirects to the organisation's sign-in page. Resolves to the reason if that is impossible. */
async function signIn(slug: string, options: SignInOptions = {}): Promise<RealmProblem | undefined> {
  const { returnTo, helper = false, username, replace = false } = options
  const realm = await discoverRealm(slug)
  if (typeof realm === 'string') return realm
  const pending: Pending = { realm, returnTo, helper }
  await providerClient(realm, vault).signIn({ state: pending, nonce: crypto.randomUUID(), username, replace })
  return undefined
}

/** Completes a sign-in from the provider's redirect to `/auth/callback`. */
async function completeSignIn(address: string): Promise<SignInOutcome> {
  listen()
  const id = new URL(address).searchParams.get('state')
  const stored = id === null ? undefined : await vault.get(`state.${id}`)
  if (stored === undefined) return { done: false, reason: t.alreadyCompleted }
  const { realm, returnTo, helper }: Pending = JSON.parse(stored).data
  const mixedUp = whyNotFromAsked(address, { issuer: realmUrl(realm.slug) })
  if (mixedUp !== undefined) return { done: false, reason: mixedUp }
  const client = providerClient(realm, vault)
  try {
    const user = await client.complete(address)
    const refusal = refusalOf(realm, user)
    if (refusal !== undefined) {
      await client.remove()
      return { done: false, reason: refusal }
    }
    await vault.set(REALM, JSON.stringify(realm))
    for (const name of await vault.names('user.'))
      if (!name.includes(`:${realmUrl(realm.slug)}:`)) await vault.remove(name)
    share(realm, tokenOf(user), user)
    return { done: true, returnTo, helper }
  } catch (error) {
    if (error instanceof ErrorResponse)
      return {
        done: false,
        reason: error.error_description ?? error.error ?? t.signInRefused,
      }
    if (error instanceof Error) return { done: false, reason: error.message }
    throw error
  }
}

/** Ends the session here, in the other tabs and at the provider, and deletes everything that this browser stored of it. */
async function signOut(): Promise<void> {
  forget({ status: 'leaving' })
  channel?.postMessage({ type: 'signed-out' } satisfies Message)
  await navigator.locks.request(LOCK, async () => {
    const realm = await storedRealm()
    const client = realm && providerClient(realm, vault)
    const user = await client?.stored()
    // Ending the provider's session also ends the refresh token; revoking it here is only sooner.
    if (user !== undefined) await client?.revoke(user).catch(() => undefined)
    await vault.clear()
    if (client === undefined) window.location.assign(signedOutPath())
    else await client.signOut(user?.id_token)
  })
}
