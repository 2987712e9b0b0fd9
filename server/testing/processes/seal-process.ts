import pg from 'pg'
import { signTenant } from '#server/audit/sealing/sealer.ts'
import { loadConfig } from '#server/kernel/config.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { openListener } from '#server/kernel/db/listen.ts'
import { loadMasterKeys } from '#server/kernel/keys/master-key.ts'
import { createLog } from '#server/kernel/log.ts'
import { openQueue } from '#server/kernel/queue.ts'
import { setRuntime } from '#server/kernel/runtime.ts'
import { createVault } from '#server/kernel/vault.ts'

// Signs one tenant's log in a separate process, which kills itself (SIGKILL) at one of its statements: before the statement
// is sent, or before its response arrives. Ends with code 0 if the work needs fewer statements.

const { APP_URL = '', TENANT = '', KILL_AT = '', KILL = '' } = process.env

const config = loadConfig()
const log = createLog('silent')
const database = openDatabase(APP_URL, log, 1)
const listener = openListener(APP_URL, log)
const queue = await openQueue(APP_URL, log)
setRuntime({
  config,
  log,
  database,
  listener,
  queue,
  vault: createVault(...(await loadMasterKeys(config))),
  mcpServers: {},
  trustedIssuers: [],
})
await database.inTenant(TENANT, () => Promise.resolve())

let statements = 0
const send = pg.Client.prototype.query
pg.Client.prototype.query = new Proxy(send, {
  apply(target, client, args) {
    statements += 1
    if (statements === Number(KILL_AT) && KILL === 'before') process.kill(process.pid, 'SIGKILL')
    const answer = Reflect.apply(target, client, args)
    if (statements === Number(KILL_AT)) process.kill(process.pid, 'SIGKILL')
    return answer
  },
})
await signTenant(TENANT)
process.exit(0)
