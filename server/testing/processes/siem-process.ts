import { loadConfig } from '#server/kernel/config.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { openListener } from '#server/kernel/db/listen.ts'
import { loadMasterKeys } from '#server/kernel/keys/master-key.ts'
import { createLog } from '#server/kernel/log.ts'
import { openQueue } from '#server/kernel/queue.ts'
import { setRuntime } from '#server/kernel/runtime.ts'
import { createVault } from '#server/kernel/vault.ts'
import { sendRecords } from '#server/siem/send-records.ts'
import { loadSinks } from '#server/siem/sinks.ts'

// Sends the next records of one tenant to the first sink of SIEM_SINKS in a separate process, which the test kills.

const { APP_URL = '', TENANT = '', EXTERNAL_ID = '' } = process.env

const config = loadConfig()
const log = createLog('silent')
const listener = openListener(APP_URL, log)
setRuntime({
  config,
  log,
  database: openDatabase(APP_URL, log, { poolSize: 2, own: listener.own }),
  listener,
  queue: await openQueue(APP_URL, log, listener),
  vault: createVault(...(await loadMasterKeys(config))),
  mcpServers: {},
  trustedIssuers: [],
})
const [sink] = await loadSinks(config)
if (sink === undefined) throw new Error('SIEM_SINKS is not set.')
await sendRecords({ id: TENANT, externalId: EXTERNAL_ID }, sink)
process.exit(0)
