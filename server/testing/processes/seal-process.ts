import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import pg from 'pg'
import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { loadConfig } from '#server/kernel/config.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { openListener } from '#server/kernel/db/listen.ts'
import { loadMasterKeys } from '#server/kernel/keys/master-key.ts'
import { createLog } from '#server/kernel/log.ts'
import { openQueue } from '#server/kernel/queue.ts'
import { setRuntime } from '#server/kernel/runtime.ts'
import { createVault } from '#server/kernel/vault.ts'

// Signs one tenant's log in a separate process, which kills itself (SIGKILL) at one of its statements, or at one of its writes
// to the signer's memory: before it begins, or before its result arrives. Ends with code 0 if the work needs fewer of them.

const { APP_URL = '', TENANT = '', KILL_IN = '', KILL_AT = '', KILL = '' } = process.env

const config = loadConfig()
const log = createLog('silent')
const listener = openListener(APP_URL, log)
const database = openDatabase(APP_URL, log, { poolSize: 1, own: listener.own })
const queue = await openQueue(APP_URL, log, listener)
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

let steps = 0
function count(kind: 'statements' | 'files'): boolean {
  if (kind !== KILL_IN) return false
  steps += 1
  return steps === Number(KILL_AT)
}
const kill = () => process.kill(process.pid, 'SIGKILL')

const send = pg.Client.prototype.query
pg.Client.prototype.query = new Proxy(send, {
  apply(target, client, args) {
    const here = count('statements')
    if (here && KILL === 'before') kill()
    const answer = Reflect.apply(target, client, args)
    if (here) kill()
    return answer
  },
})

/** Counts a function of the file system. The signer's memory is all that the sealer writes to files. */
const counted = <F extends (...args: never[]) => Promise<unknown>>(work: F): F =>
  new Proxy(work, {
    async apply(target, on, args) {
      const here = count('files')
      if (here && KILL === 'before') kill()
      const done = await Reflect.apply(target, on, args)
      if (here) kill()
      return done
    },
  })
const handle = await files.open('/dev/null')
const handles = Object.getPrototypeOf(handle)
await handle.close()
for (const name of ['writeFile', 'sync']) handles[name] = counted(handles[name])
for (const name of ['mkdir', 'open', 'link', 'rm'] as const) Object.assign(files, { [name]: counted(files[name]) })
syncBuiltinESMExports()

await signTenant(TENANT)
process.exit(0)
