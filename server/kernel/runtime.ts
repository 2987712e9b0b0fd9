import type { TrustedIssuers } from './auth/issuers/trusted.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import type { Listener } from './db/listen.ts'
import type { Log } from './log.ts'
import type { McpServers } from './mcp-servers.ts'
import type { Queue } from './queue.ts'
import type { Vault } from './vault.ts'

/** What the process was started with. Made once by main.ts; nothing in it changes afterwards. */
export type Runtime = {
  config: Config
  log: Log
  database: Database
  listener: Listener
  queue: Queue
  vault: Vault
  /** The operator's stdio tool servers, by name. */
  mcpServers: McpServers
  /** Issuers besides the realms at AUTH_URL. */
  trustedIssuers: TrustedIssuers
}

// Owned by this module: set once at the start of the process.
let current: Runtime | undefined

export function setRuntime(runtime: Runtime): void {
  current = runtime
}

/** Throws before main.ts has set the process up: code that runs at import time may not call it. */
export function runtime(): Runtime {
  if (current === undefined) throw new Error('The server is not running: setRuntime() has not been called.')
  return current
}
