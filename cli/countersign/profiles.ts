import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { usageError } from './failure.ts'

/** A signed-in person at one server. `expiresAt` is milliseconds since the epoch. */
export type Profile = {
  url: string
  authUrl: string
  tenant: string
  /** A random id of this sign-in: a process continues only the one with which it began. */
  signIn?: string
  accessToken: string
  expiresAt: number
  refreshToken?: string
}

/** The file of profiles and of service accounts' tokens, which only its owner can read. */
export type Store = {
  profiles: Record<string, Profile>
  /** Tokens of service accounts, by a digest of what they were issued for. */
  tokens: Record<string, { accessToken: string; expiresAt: number }>
  /** Requests of countersign guard that wait for people, by a digest of the call. */
  requests: Record<string, { approvalId: string; expiresAt: number }>
}

type Environment = Readonly<Record<string, string | undefined>>

/** A lock that is older was left by a process that died. */
const staleAfterMs = 30_000
const lookAgainMs = 25

const folderOf = ({ COUNTERSIGN_CONFIG_DIR, XDG_CONFIG_HOME, APPDATA }: Environment): string =>
  COUNTERSIGN_CONFIG_DIR ?? join(XDG_CONFIG_HOME ?? APPDATA ?? join(homedir(), '.config'), 'countersign')
const pathOf = (environment: Environment) => join(folderOf(environment), 'profiles.json')

const empty = (): Store => ({ profiles: {}, tokens: {}, requests: {} })

export function readStore(environment: Environment): Store {
  try {
    return { ...empty(), ...JSON.parse(readFileSync(pathOf(environment), 'utf8')) }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return empty()
    if (error instanceof SyntaxError)
      throw usageError(`${pathOf(environment)} is not valid JSON. Delete it and sign in again.`)
    throw error
  }
}

/**
 * Changes the file while no other process does. Held while a refresh token is exchanged, because a provider that sees one twice
 * ends the sign-in.
 */
export async function withStore<T>(environment: Environment, work: (store: Store) => Promise<T>): Promise<T> {
  const path = pathOf(environment)
  mkdirSync(folderOf(environment), { recursive: true, mode: 0o700 })
  const lock = `${path}.lock`
  const mine = await take(lock)
  try {
    const store = readStore(environment)
    const result = await work(store)
    const now = Date.now()
    const current = <T extends { expiresAt: number }>(entries: Record<string, T>): Record<string, T> =>
      Object.fromEntries(Object.entries(entries).filter(([, { expiresAt }]) => expiresAt > now))
    store.tokens = current(store.tokens)
    store.requests = current(store.requests)
    writeFileSync(`${path}.new`, `${JSON.stringify(store, null, 2)}\n`, { mode: 0o600 })
    renameSync(`${path}.new`, path)
    return result
  } finally {
    if (holderOf(lock) === mine) rmSync(lock, { force: true })
  }
}

/** Who has the lock; undefined when it is free. */
function holderOf(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Only one of several waiting processes moves it away; one that moves a new lock by mistake gives it back. */
function removeStale(lock: string, mine: string): void {
  const aside = `${lock}.${mine}`
  try {
    renameSync(lock, aside)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
    throw error
  }
  if (Date.now() - statSync(aside).mtimeMs > staleAfterMs) rmSync(aside, { force: true })
  else renameSync(aside, lock)
}

/** Returns the text that the lock then contains. */
async function take(lock: string): Promise<string> {
  const mine = randomUUID()
  for (;;) {
    try {
      writeFileSync(lock, mine, { flag: 'wx', mode: 0o600 })
      return mine
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error
    }
    const held = statSync(lock, { throwIfNoEntry: false })
    if (held !== undefined && Date.now() - held.mtimeMs > staleAfterMs) removeStale(lock, mine)
    else await setTimeout(lookAgainMs)
  }
}
