'use client'

import { ErrorResponse, type User, type UserManager } from 'oidc-client-ts'
import type { AccessToken, TokenSource } from '#lib/api-fetch.ts'
import { failureOf, RequestError } from '#lib/failure.ts'
import { signedOutPath } from '#lib/paths.ts'
import { presented, type Token, tokenOf } from './credential.ts'
import { discoverRealm, providerClient, type Realm, type RealmProblem } from './provider-client.ts'
import { openVault } from './vault.ts'

/** The person that this browser is signed in as. */
export type Identity = { organisation: string; issuer: string; subject: string; username: string; name: string }

export type SessionState =
  /** Nothing known yet. */
  | { status: 'starting' }
  /** `elsewhere`: the person signed out in another tab just now. */
  | { status: 'signed-out'; elsewhere: boolean }
  | { status: 'signed-in'; identity: Identity }
  /** The provider gives no more tokens; what is on the page stays until the person signs in again. */
  | { status: 'ended'; identity: Identity }
  /** On the way to the provider's pages. */
  | { status: 'leaving' }
  /** The provider did not answer at the start. */
  | { status: 'unreachable' }
  /** The browser lacks what a session needs (site storage, a secure context). */
  | { status: 'unsupported' }

type Message = { type: 'token'; identity: Identity; token: Token } | { type: 'signed-out' }
/** What is remembered over the provider's pages. */
type Pending = { realm: Realm; returnTo: string | undefined; helper: boolean }

export type SignInOptions = {
  /** Path to come back to. */
  returnTo?: string | undefined
  /** This window was only opened to sign in again for another one. */
  helper?: boolean
  username?: string
  /** Leaves no entry in the history for the present page. */
  replace?: boolean
}

export type SignInOutcome =
  | { done: true; returnTo: string | undefined; helper: boolean }
  | { done: false; reason: string }

const LOCK = 'countersign-session'
const REALM = 'realm'
/** A token this close to its end is not sent any more, in milliseconds. */
const marginMs = 5_000
const retryMs = 10_000

const vault = openVault('countersign')

// Owned by this module: one session per page. All of it is remade from the vault by a reload.
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

/** Finds the session of this browser; later calls wait for the first one. */
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
  // Timers sleep with the device.
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
  // Tabs share a token's times; spread them, so that one renews and the others hear of it.
  const spread = Math.random() * Math.min(10_000, (next.expiresAt - next.renewAt) / 5)
  timer = setTimeout(renewIfDue, Math.max(0, next.renewAt - Date.now()) + spread)
  become({ status: 'signed-in', identity })
}

function forget(next: SessionState): void {
  token = undefined
  clearTimeout(timer)
  become(next)
}

/** The provider or the API refuses what we hold. */
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
  if (token === undefined) throw new RequestError(failureOf('unauthorized', 'You are no longer signed in.', 401))
  return presented(token, vault)
}

/** One renewal at a time, in this tab and over all tabs. Rejects with a RequestError when the provider can't be reached. */
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
  const known = await client?.getUser()
  if (realm === undefined || client === undefined || !known?.refresh_token) return end()
  try {
    const user = await client.signinSilent()
    if (user === null) return end()
    share(realm, client, user)
  } catch (error) {
    if (error instanceof ErrorResponse) return end()
    throw new RequestError(failureOf('network', 'The identity provider can’t be reached.'), error)
  }
}

function share(realm: Realm, client: UserManager, user: User): void {
  // Its own timers would go on until the token ends.
  client.events.unload()
  const { iss, sub, name, preferred_username: username = sub } = user.profile
  const identity = { organisation: realm.slug, issuer: iss, subject: sub, username, name: name ?? username }
  const next = tokenOf(user)
  adopt(identity, next)
  channel?.postMessage({ type: 'token', identity, token: next } satisfies Message)
}

async function storedRealm(): Promise<Realm | undefined> {
  const text = await vault.get(REALM)
  return text === undefined ? undefined : (JSON.parse(text) as Realm)
}

/** Leaves for the organisation's sign-in page; resolves to the reason when that can't be done. */
async function signIn(slug: string, options: SignInOptions = {}): Promise<RealmProblem | undefined> {
  const { returnTo, helper = false, username, replace = false } = options
  const realm = await discoverRealm(slug)
  if (typeof realm === 'string') return realm
  const pending: Pending = { realm, returnTo, helper }
  await providerClient(realm, vault).signinRedirect({
    state: pending,
    redirectMethod: replace ? 'replace' : 'assign',
    ...(username === undefined ? {} : { login_hint: username }),
  })
  return undefined
}

/** Takes what the provider sent back to `/auth/callback`. */
async function completeSignIn(address: string): Promise<SignInOutcome> {
  listen()
  const id = new URL(address).searchParams.get('state')
  const stored = id === null ? undefined : await vault.get(`state.${id}`)
  if (stored === undefined)
    return { done: false, reason: 'This sign-in was already completed, or was started in another browser.' }
  const { realm, returnTo, helper }: Pending = JSON.parse(stored).data
  const client = providerClient(realm, vault)
  try {
    const user = await client.signinRedirectCallback(address)
    await vault.set(REALM, JSON.stringify(realm))
    for (const name of await vault.names('user.'))
      if (!name.includes(`:${client.settings.authority}:`)) await vault.remove(name)
    share(realm, client, user)
    return { done: true, returnTo, helper }
  } catch (error) {
    if (error instanceof ErrorResponse)
      return {
        done: false,
        reason: error.error_description ?? error.error ?? 'The identity provider refused the sign-in.',
      }
    if (error instanceof Error) return { done: false, reason: error.message }
    throw error
  }
}

/** Ends the session here, in the other tabs and at the provider, and wipes what this browser kept of it. */
async function signOut(): Promise<void> {
  forget({ status: 'leaving' })
  channel?.postMessage({ type: 'signed-out' } satisfies Message)
  await navigator.locks.request(LOCK, async () => {
    const realm = await storedRealm()
    const client = realm && providerClient(realm, vault)
    const user = await client?.getUser()
    // The end of the provider's session ends the refresh token, too; this only makes it sooner.
    await client?.revokeTokens().catch(() => undefined)
    await vault.clear()
    if (client === undefined) window.location.assign(signedOutPath())
    else await client.signoutRedirect(user?.id_token === undefined ? {} : { id_token_hint: user.id_token })
  })
}
