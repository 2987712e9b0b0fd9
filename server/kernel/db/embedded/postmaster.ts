import { spawn } from 'node:child_process'
import { chown, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Account, spawnOptions } from './account.ts'
import type { Binaries } from './binaries.ts'
import { EmbeddedDatabaseError, isDiskFull } from './failure.ts'
import { findPostmaster, isProcess, type Postmaster, readPidFile } from './pid-file.ts'

const POLL_MS = 20
const STOP_DEADLINE_MS = 60_000
/** How long the processes of a killed server may take to notice and exit. */
const ORPHANS_DEADLINE_MS = 20_000
const START_ATTEMPTS = 5
const TELL_AFTER_MS = 5_000
const LOG_LIMIT_BYTES = 10 * 1024 * 1024

/**
 * Settings that the operator may not change: loopback only, with a password; nothing is acknowledged before it is on
 * disk.
 */
const FIXED_SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=on', 'logging_collector=off']

/** The file in a cluster that its server logs to. */
export const logFile = (cluster: string) => join(cluster, 'server.log')

/**
 * The running server of `cluster`, started if necessary and ready for connections. Call it under the start lock. Throws
 * EmbeddedDatabaseError with PostgreSQL's own reason if it does not start.
 */
export async function ensurePostmaster(
  cluster: string,
  account: Account | undefined,
  binaries: Binaries,
  say: (line: string) => void,
): Promise<Postmaster> {
  const reminder = setTimeout(say, TELL_AFTER_MS, `PostgreSQL is still starting. Its log is ${logFile(cluster)}.`)
  try {
    const orphansDeadline = Date.now() + ORPHANS_DEADLINE_MS
    let lostPorts = 0
    for (;;) {
      const running = await settledPostmaster(cluster)
      if (running) return running
      const outcome = await start(cluster, account, binaries, lostPorts > 0)
      if (outcome.ready) return outcome.ready
      const hasLostPort = outcome.log.includes('could not create any TCP/IP sockets')
      const hasOrphans = outcome.log.includes('pre-existing shared memory block')
      if (hasLostPort) lostPorts += 1
      const mayTryAgain = (hasLostPort && lostPorts < START_ATTEMPTS) || (hasOrphans && Date.now() < orphansDeadline)
      // Another postmaster may be running by now: a killed start can leave the one that it had just started.
      if (!mayTryAgain && !(await findPostmaster(cluster))) throw await startFailed(cluster, outcome)
      await wait(POLL_MS)
    }
  } finally {
    clearTimeout(reminder)
  }
}

/** Waits while the server starts, recovers or stops; returns its postmaster, or undefined if none is running. */
async function settledPostmaster(cluster: string): Promise<Postmaster | undefined> {
  for (;;) {
    const postmaster = await findPostmaster(cluster)
    if (!postmaster || postmaster.status === 'ready') return postmaster
    await wait(POLL_MS)
  }
}

type Outcome = { ready: Postmaster; log?: undefined } | { ready?: undefined; log: string; exit: string }

async function start(
  cluster: string,
  account: Account | undefined,
  binaries: Binaries,
  onNewPort: boolean,
): Promise<Outcome> {
  const stale = await readPidFile(cluster)
  // After a crash, the process id in the file can belong to another process by now; PostgreSQL would wait for that one.
  if (stale && isProcess(stale.pid)) await rm(join(cluster, 'postmaster.pid'), { force: true })
  // After a crash on the same port, so that attached processes find the server again.
  const port = await freePort(onNewPort ? undefined : stale?.port)
  const log = await openLog(cluster, account)
  try {
    const { size } = await log.stat()
    const settings = [...FIXED_SETTINGS, `port=${port}`].flatMap((setting) => ['-c', setting])
    // A separate session, so that Ctrl-C in the terminal and the end of this process do not reach it.
    const child = spawn(binaries.postgres, ['-D', cluster, ...settings], {
      ...spawnOptions(account),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    })
    let exit: string | undefined
    child.on('error', (error) => {
      exit = error.message
    })
    child.on('exit', (code, signal) => {
      exit = signal ?? `exit code ${code}`
    })
    child.unref()
    while (exit === undefined) {
      const postmaster = await findPostmaster(cluster)
      if (postmaster?.pid === child.pid && postmaster?.status === 'ready') return { ready: postmaster }
      await wait(POLL_MS)
    }
    return { log: (await readFile(logFile(cluster))).subarray(size).toString(), exit }
  } finally {
    await log.close()
  }
}

async function startFailed(cluster: string, { log, exit }: { log: string; exit: string }) {
  if (await isDiskFull(cluster, log)) return new EmbeddedDatabaseError(`The disk of ${dirname(cluster)} is full.`)
  const reason = /(?:FATAL|PANIC): +(.*)/.exec(log)?.[1] ?? (log.trim().split('\n')[0] || exit)
  return new EmbeddedDatabaseError(`PostgreSQL did not start: ${reason} (its log is ${logFile(cluster)}).`)
}

/** Opens the log for appending, as a file of the server's account; a large log is moved aside first. */
async function openLog(cluster: string, account: Account | undefined) {
  const file = logFile(cluster)
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  )
  if (size > LOG_LIMIT_BYTES) await rename(file, `${file}.1`)
  const log = await open(file, 'a', 0o600)
  if (account) await chown(file, account.uid, account.gid)
  return log
}

/** A free TCP port on 127.0.0.1: `preferred` if it is free. */
function freePort(preferred = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error) => (preferred ? resolve(freePort()) : reject(error)))
    probe.listen(preferred, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port'))))
    })
  })
}

/** Stops the server of `cluster`, ending remaining connections, and waits until it has exited. */
export async function stopPostmaster(cluster: string): Promise<void> {
  const postmaster = await findPostmaster(cluster)
  if (!postmaster) return
  process.kill(postmaster.pid, 'SIGINT')
  const deadline = Date.now() + STOP_DEADLINE_MS
  while ((await findPostmaster(cluster))?.pid === postmaster.pid) {
    if (Date.now() > deadline) {
      throw new EmbeddedDatabaseError(
        `PostgreSQL (process ${postmaster.pid}) did not stop within ${STOP_DEADLINE_MS / 1000} s. Its log is ${logFile(cluster)}.`,
      )
    }
    await wait(POLL_MS)
  }
}
