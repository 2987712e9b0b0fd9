import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Pool } from 'pg'
import { bindRows } from '#server/kernel/bound/bind.ts'
import { loadConfig } from '#server/kernel/config.ts'
import { applicationName } from '#server/kernel/db/application-name.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { openListener } from '#server/kernel/db/listen.ts'
import { migrate } from '#server/kernel/db/migrate.ts'
import { createLog } from '#server/kernel/log.ts'
import { openQueue } from '#server/kernel/queue.ts'
import { setRuntime } from '#server/kernel/runtime.ts'
import { createVault } from '#server/kernel/vault.ts'
import { testDatabase } from '#server/testing/database.ts'
import { freePort } from '#server/testing/free-port.ts'
import { startProcess } from '#server/testing/processes/start-process.ts'
import type { PropertyServer } from '#server/testing/properties/server.ts'

/**
 * An installation as an operator starts it: one database and one DATA_DIR, on which any number of processes run. This process
 * only creates tenants in it; nothing here signs or answers a request.
 */
export type Installation = PropertyServer & {
  /** Further connections of the owner, for reads at the same time. */
  ownerPool: Pool
  /** The address of the server's role, which the owner of the database may also connect as. */
  serverUrl: string
  /** Starts the first node, whose address is `baseUrl`. */
  start(): Promise<void>
  /** Kills the first node (SIGKILL) and starts it again on the same data. */
  killAndRestart(): Promise<void>
  /** Starts another process on the same database and the same DATA_DIR. Returns its address. */
  startSecond(): Promise<string>
}

/** `externalIds`: the tenants that may use the payments tools. */
export async function openInstallation(externalIds: readonly string[]): Promise<Installation> {
  const source = await testDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'countersign-sql-'))
  const masterKey = randomBytes(32)
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const payments = {
    command: process.execPath,
    args: [join(import.meta.dirname, '../fakes/gated-payments.ts')],
    env: { COUNTERSIGN_GATE: join(folder, 'gate'), COUNTERSIGN_TOOL_DATA: join(folder, 'payments') },
    tenants: externalIds,
  }
  await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { payments } }))
  const settings = {
    DATABASE_URL: source.ownerUrl,
    DATA_DIR: join(folder, 'data'),
    MASTER_KEY: masterKey.toString('base64'),
    MCP_SERVERS: join(folder, 'mcp.json'),
    SEED_DEMO: 'false',
    BASE_URL: baseUrl,
    AUTH_URL: baseUrl,
    IDENTITY: 'embedded',
    ACCESS_TOKEN_TTL: '86400',
    RATE_LIMIT_PER_MINUTE: '1000000000',
    TOKEN_RATE_LIMIT_PER_MINUTE: '1000000000',
    ADOPT_ROWS_AFTER: '0',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
  }
  const config = loadConfig({ ...settings, PORT: String(port) })
  const log = createLog(process.env.TEST_LOG_LEVEL ?? 'silent')
  const serverUrl = await migrate(source.ownerUrl, masterKey)
  const listener = openListener(serverUrl, log)
  const database = openDatabase(serverUrl, log, { poolSize: 4, own: listener.own })
  const queue = await openQueue(serverUrl, log, listener)
  setRuntime({
    config,
    log,
    database,
    listener,
    queue,
    vault: createVault(masterKey),
    mcpServers: {},
    trustedIssuers: [],
  })
  bindRows()
  const owner = new Client({ connectionString: source.ownerUrl, application_name: applicationName('maintenance') })
  await owner.connect()
  await dropChecks(owner)
  const ownerPool = new Pool({
    connectionString: source.ownerUrl,
    application_name: applicationName('maintenance'),
    max: 3,
  })
  const running: ChildProcess[] = []
  const startOn = async (on: number) => {
    const { child, baseUrl: address } = await startProcess({ ...settings, PORT: String(on) })
    running.push(child)
    return address
  }
  const end = async (child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL') => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }
  return {
    baseUrl,
    owner,
    ownerPool,
    serverUrl,
    async start() {
      await startOn(port)
    },
    async killAndRestart() {
      const first = running.shift()
      if (first !== undefined) await end(first, 'SIGKILL')
      await startOn(port)
      const again = running.pop()
      if (again !== undefined) running.unshift(again)
    },
    startSecond: () => startOn(0),
    async close() {
      for (const child of running) await end(child, 'SIGTERM')
      await ownerPool.end()
      await owner.end()
      await queue.close()
      await listener.close()
      await database.close()
      await source.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** The owner can drop constraints, so none of them stops a change. */
async function dropChecks(owner: Client): Promise<void> {
  const { rows } = await owner.query<{ statement: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as statement
     from pg_constraint where contype = 'c' and connamespace = 'public'::regnamespace and conislocal
       and not exists (select from pg_inherits where inhrelid = conrelid)`,
  )
  for (const { statement } of rows) await owner.query(statement)
}
