// Peer of case 2: the same route handlers, served by Next's server from its bundle.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import next from 'next'
import { loadConfig } from '#server/kernel/config.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { openListener } from '#server/kernel/db/listen.ts'
import { migrate } from '#server/kernel/db/migrate.ts'
import { loadMasterKeys } from '#server/kernel/keys/master-key.ts'
import { createLog } from '#server/kernel/log.ts'
import { openQueue } from '#server/kernel/queue.ts'
import { setRuntime } from '#server/kernel/runtime.ts'
import { createVault } from '#server/kernel/vault.ts'

const config = loadConfig()
const log = createLog('error')
const url = await migrate(config.databaseUrl ?? '')
setRuntime({
  config,
  log,
  database: openDatabase(url, log),
  listener: openListener(url, log),
  queue: await openQueue(url, log),
  vault: createVault(...(await loadMasterKeys(config))),
  mcpServers: {},
  trustedIssuers: [],
})
const app = next({ dev: false, dir: join(import.meta.dirname, '..', '..'), quiet: true })
await app.prepare()
const handle = app.getRequestHandler()
const server = createServer((req, res) => void handle(req, res))
server.listen(0, () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`ready http://localhost:${port}\n`)
})
process.on('SIGTERM', () => process.exit(0))
