import { bindRows } from '#server/kernel/bound/bind.ts'
import { loadConfig } from '#server/kernel/config.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { openListener } from '#server/kernel/db/listen.ts'
import { loadMasterKeys } from '#server/kernel/keys/master-key.ts'
import { createLog } from '#server/kernel/log.ts'
import type { McpServers } from '#server/kernel/mcp-servers.ts'
import { openQueue } from '#server/kernel/queue.ts'
import { type Runtime, setRuntime } from '#server/kernel/runtime.ts'
import { createVault } from '#server/kernel/vault.ts'

/**
 * Makes this process one more of a running server: on its database and with its keys, so that what it writes is bound to the
 * log. It runs no jobs. Close it afterwards.
 */
export async function joinServer(
  databaseUrl: string,
  dataDir: string,
  mcpServers: McpServers = {},
): Promise<Runtime & { close(): Promise<void> }> {
  const log = createLog('silent')
  const config = loadConfig({ DATA_DIR: dataDir, PORT: '3000', LOG_LEVEL: 'silent' })
  const { masterKey } = config
  const listener = openListener(databaseUrl, log)
  const runtime: Runtime = {
    config,
    log,
    database: openDatabase(databaseUrl, log, { poolSize: 2, own: listener.own }),
    listener,
    queue: await openQueue(databaseUrl, log, listener),
    vault: createVault(...(await loadMasterKeys({ dataDir, masterKey, masterKeyPrevious: undefined }))),
    mcpServers,
    trustedIssuers: [],
    stopping: new AbortController().signal,
    cut: new AbortController().signal,
  }
  setRuntime(runtime)
  bindRows()
  return {
    ...runtime,
    async close() {
      await runtime.queue.close()
      await runtime.listener.close()
      await runtime.database.close()
    },
  }
}
