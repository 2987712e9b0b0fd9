import type { TrustedIssuers } from './auth/issuers/trusted.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import type { Listener } from './db/listen.ts'
import type { Log } from './log.ts'
import type { McpServers } from './mcp-servers.ts'
import type { Queue } from './queue.ts'
import type { Vault } from './vault.ts'

/** The configuration and resources of the process. Created once by main.ts and never changed. */
export type Runtime = {
  config: Config
  log: Log
  database: Database
  listener: Listener
  queue: Queue
  vault: Vault
  /** The operator's stdio tool servers, by name. */
  mcpServers: McpServers
  /** Issuers in addition to the realms at AUTH_URL. */
  trustedIssuers: TrustedIssuers
  /**
   * Aborted when this process begins to stop: open streams end, and their clients connect to another process; executions continue in
   * another process after the call that runs.
   */
  stopping: AbortSignal
  /** Aborted when the time of running requests and jobs (DRAIN_SECONDS) is over: what listens ends at once, in order. */
  cut: AbortSignal
}

// Owned by this module: set once when the process starts.
let current: Runtime | undefined
const never = new AbortController().signal

type Ends = 'stopping' | 'cut'

/** `stopping` and `cut` may be omitted by a process that serves no one. */
export function setRuntime(runtime: Omit<Runtime, Ends> & Partial<Pick<Runtime, Ends>>): void {
  current = { ...runtime, stopping: runtime.stopping ?? never, cut: runtime.cut ?? never }
}

/** Throws until main.ts has set up the process, so code that runs at import time must not call it. */
export function runtime(): Runtime {
  if (current === undefined) throw new Error('The server is not running: setRuntime() has not been called.')
  return current
}

/** The process's `cut`, also for what commands use that serve no one. */
export const cutSignal = (): AbortSignal => current?.cut ?? never
