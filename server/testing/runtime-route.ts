import { bindRows } from '#server/kernel/bound/bind.ts'
import { loadConfig } from '#server/kernel/config.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { openListener } from '#server/kernel/db/listen.ts'
import { loadMasterKeys } from '#server/kernel/keys/master-key.ts'
import { createLog } from '#server/kernel/log.ts'
import { openQueue } from '#server/kernel/queue.ts'
import { setRuntime } from '#server/kernel/runtime.ts'
import { createVault } from '#server/kernel/vault.ts'

/** A route handler that a test adds to app/v1, so that its handlers have a runtime in a process of Next. */
export async function POST(): Promise<Response> {
  const { APP_URL } = process.env
  if (APP_URL === undefined) throw new Error('APP_URL must be the address of a database.')
  const config = loadConfig()
  const log = createLog('error')
  const listener = openListener(APP_URL, log)
  setRuntime({
    config,
    log,
    database: openDatabase(APP_URL, log, { own: listener.own }),
    listener,
    queue: await openQueue(APP_URL, log, listener),
    vault: createVault(...(await loadMasterKeys(config))),
    mcpServers: {},
    trustedIssuers: [],
  })
  bindRows()
  return new Response(null, { status: 204 })
}
