import { EventEmitter } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import next from 'next'
import { closeToolServers } from '#server/agents/stdio-connections.ts'
import { startSealer } from '#server/audit/sealing/sealer.ts'
import { loadWitnesses, startWitnessing } from '#server/audit/witnesses/witnesses.ts'
import { registerCatalog } from '#server/catalog/operations.ts'
import { seedDemo } from '#server/demo/seed.ts'
import { demoMcpServers } from '#server/demo/tool-servers.ts'
import { identityHandler } from '#server/identity/handler.ts'
import { loadTrustedIssuers } from '#server/kernel/auth/issuers/trusted.ts'
import type { Config } from '#server/kernel/config.ts'
import { encryptPlaintext } from '#server/kernel/content/encrypt-plaintext.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { openEmbeddedDatabase } from '#server/kernel/db/embedded.ts'
import { openListener } from '#server/kernel/db/listen.ts'
import { migrate } from '#server/kernel/db/migrate.ts'
import { loadMasterKeys } from '#server/kernel/keys/master-key.ts'
import { createLog } from '#server/kernel/log.ts'
import { loadMcpServers } from '#server/kernel/mcp-servers.ts'
import { openQueue } from '#server/kernel/queue.ts'
import { setRuntime } from '#server/kernel/runtime.ts'
import { createVault } from '#server/kernel/vault.ts'
import { closeEngine } from '#server/policies/engine/engine.ts'
import packageJson from '../package.json' with { type: 'json' }
import { collectCatalog } from './catalog.ts'
import { startHousekeeping } from './housekeeping.ts'
import { jobs, registerDecisions } from './jobs.ts'
import { checkClock } from './readiness.ts'
import { api } from './routes.ts'
import { createCspReportHandler } from './shell/csp-report.ts'
import { createShell } from './shell.ts'
import { createSocket } from './socket.ts'

export type RunningServer = { baseUrl: string; close(): Promise<void> }

type Handler = (req: IncomingMessage, res: ServerResponse) => unknown

const root = join(import.meta.dirname, '..')

/**
 * Starts everything in the order in which it needs each other, and stops it in reverse. `say` prints for people.
 * Throws ConfigError, EmbeddedDatabaseError, or the system's error for a port that is taken.
 */
export async function serve(
  settings: Config,
  say: (line: string) => void,
  options: { console: boolean } = { console: true },
): Promise<RunningServer> {
  const log = createLog(settings.logLevel)
  const closing: (() => Promise<unknown> | unknown)[] = []
  const close = async () => {
    for (const step of closing.splice(0).reverse()) await step()
  }
  try {
    // The port is taken first: a second start on it must not touch the database.
    let handle: Handler = (_req, res) => res.writeHead(503, { 'retry-after': '1' }).end()
    const http = createServer((req, res) => handle(req, res))
    const port = await listen(http, settings.port)
    closing.push(() => closeHttp(http))
    const config = settings.port === 0 ? onPort(settings, port) : settings

    const mcpServers = config.mcpServersFile === undefined ? {} : await loadMcpServers(config.mcpServersFile)
    const trustedIssuers = await loadTrustedIssuers(config)
    const witnesses = await loadWitnesses(config)
    if (config.identity === 'external') log.info({ authUrl: config.authUrl }, 'another provider serves the realms')
    const ownerUrl = config.databaseUrl ?? (await openEmbedded())
    await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
    const masterKeys = await loadMasterKeys(config)
    const url = await migrate(ownerUrl, masterKeys[0])
    const vault = createVault(...masterKeys)
    const database = openDatabase(url, log)
    closing.push(() => database.close())
    const listener = openListener(url, log)
    closing.push(() => listener.close())
    const queue = await openQueue(url, log)
    setRuntime({
      config,
      log,
      database,
      listener,
      queue,
      vault,
      trustedIssuers,
      mcpServers: config.seedDemo ? { ...demoMcpServers(), ...mcpServers } : mcpServers,
    })
    await encryptPlaintext(ownerUrl)
    const clock = await checkClock()
    if (clock !== undefined) say(clock.problem)
    closing.push(closeEngine, closeToolServers)
    closing.push(() => queue.close())
    registerDecisions()
    registerCatalog(collectCatalog())
    await queue.work(jobs)
    const sealer = startSealer()
    closing.push(() => sealer.close())
    const witnessing = startWitnessing(witnesses)
    closing.push(() => witnessing.close())
    const housekeeping = startHousekeeping(ownerUrl)
    closing.push(() => housekeeping.close())
    if (config.seedDemo) await seedDemo(say)

    const socket = createSocket()
    closing.push(() => socket.close())
    const pages = options.console ? await openConsole(config, (close) => closing.push(close)) : undefined
    const callApi = getRequestListener(api.fetch, { overrideGlobalObjects: false })
    handle = (req, res) => {
      const path = (req.url ?? '/').split('?', 1)[0] ?? '/'
      if (path === '/v1' || path.startsWith('/v1/')) return callApi(req, res)
      if (path.startsWith('/realms/') && config.identity === 'embedded') return identityHandler(req, res)
      return pages?.handle(req, res) ?? res.writeHead(404).end()
    }
    http.on('upgrade', (req, duplex, head) => {
      if (!socket.upgrade(req, duplex, head) && pages?.upgrade(req, duplex, head) !== true) duplex.destroy()
    })
    log.debug({ baseUrl: config.baseUrl }, 'listening')
    return { baseUrl: config.baseUrl, close }

    async function openEmbedded(): Promise<string> {
      const embedded = await openEmbeddedDatabase({ dataDir: config.dataDir, say })
      closing.push(() => embedded.release())
      return embedded.ownerUrl
    }

    async function openConsole(current: Config, onClose: (close: () => Promise<unknown>) => void) {
      const upgrades = new EventEmitter()
      // Next ends upgrades that match a route of ours, so it gets a stand-in and only what we pass on.
      const app = next({ dev: false, dir: root, httpServer: upgrades as unknown as Server, quiet: true })
      await app.prepare()
      onClose(() => app.close())
      const nextHandle = app.getRequestHandler()
      const authOrigin = new URL(current.authUrl).origin
      const shell = createShell({
        distDir: join(root, '.next'),
        publicDir: join(root, 'public'),
        config: { authUrl: current.authUrl, version: packageJson.version },
        connectOrigins: authOrigin === new URL(current.baseUrl).origin ? [] : [authOrigin],
        https: current.baseUrl.startsWith('https:'),
      })
      const reports = createCspReportHandler({
        onReport: (report) => log.warn({ report }, 'the browser blocked something'),
      })
      return {
        handle: async (req: IncomingMessage, res: ServerResponse) => {
          try {
            if ((await reports(req, res)) || (await shell(req, res))) return
            await nextHandle(req, res)
          } catch (error) {
            log.error({ err: error, path: req.url }, 'a page failed')
            if (res.headersSent) res.destroy()
            else res.writeHead(500, { 'content-type': 'text/plain' }).end('Something went wrong on our side.')
          }
        },
        upgrade: (...args: [IncomingMessage, unknown, Buffer]): boolean => upgrades.emit('upgrade', ...args),
      }
    }
  } catch (error) {
    await close()
    throw error
  }
}

const onPort = (settings: Config, port: number): Config => {
  const place = (url: string) => (url === 'http://localhost:0' ? `http://localhost:${port}` : url)
  return { ...settings, port, baseUrl: place(settings.baseUrl), authUrl: place(settings.authUrl) }
}

function listen(http: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, () => {
      http.off('error', reject)
      const address = http.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

/** Lets answers under way finish for two seconds; then the sockets are cut. */
function closeHttp(http: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => http.closeAllConnections(), 2000)
    http.close(() => {
      clearTimeout(cut)
      resolve()
    })
    http.closeIdleConnections()
  })
}
