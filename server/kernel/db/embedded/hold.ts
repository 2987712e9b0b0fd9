import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { attach, detach } from './attachment.ts'
import { EmbeddedDatabaseError } from './failure.ts'
import { findPostmaster } from './pid-file.ts'
import type { Place } from './place.ts'
import { ensurePostmaster, stopPostmaster } from './postmaster.ts'

const FIRST_RETRY_MS = 100
const LONGEST_RETRY_MS = 10_000

/** This process's share of a running server. */
export type Hold = { port: number; release(): Promise<void> }

type Circumstances = {
  place: Place
  say(line: string): void
  /** Runs under the start lock. */
  locked<T>(critical: () => Promise<T>): Promise<T>
}

/**
 * Starts or joins the server and stays attached: if it dies, starts or joins it again, on the same port, so that the
 * application's pool finds it. Call it under the start lock.
 */
export async function hold({ place, say, locked }: Circumstances): Promise<Hold> {
  const ending = new AbortController()
  const first = await join(place, say)
  let session: pg.Client | undefined = first.session
  let recovery: Promise<void> | undefined
  const watch = (current: pg.Client) => {
    current.once('end', () => {
      session = undefined
      if (!ending.signal.aborted) recovery = recover()
    })
  }

  async function recover(): Promise<void> {
    say('The connection to PostgreSQL was lost. Reconnecting…')
    for (let delay = FIRST_RETRY_MS; !ending.signal.aborted; delay = Math.min(delay * 2, LONGEST_RETRY_MS)) {
      try {
        const again = await locked(() => join(place, say))
        session = again.session
        watch(again.session)
        if (again.port !== first.port) say(`PostgreSQL had to move to port ${again.port}. Restart this process.`)
        return
      } catch (error) {
        say(error instanceof Error ? error.message : String(error))
      }
      // Ends early, which is not an error, when the process releases the database.
      await wait(delay, undefined, { signal: ending.signal }).catch(() => undefined)
    }
  }

  async function release(): Promise<void> {
    ending.abort()
    await recovery
    await locked(async () => {
      const postmaster = await findPostmaster(place.cluster)
      if (!postmaster) return
      const { isLast } = await detach(session ?? (await attach(place.cluster, postmaster)))
      if (isLast) await stopPostmaster(place.cluster)
    })
  }

  watch(first.session)
  let released: Promise<void> | undefined
  return {
    port: first.port,
    release: () => {
      released ??= release()
      return released
    },
  }
}

async function join({ cluster, account, binaries }: Place, say: (line: string) => void) {
  const postmaster = await ensurePostmaster(cluster, account, binaries, say)
  const { port } = postmaster
  if (!port) throw new EmbeddedDatabaseError(`${cluster}/postmaster.pid does not contain a port. Stop that server.`)
  const session: pg.Client = await attach(cluster, { ...postmaster, port })
  return { session, port }
}
