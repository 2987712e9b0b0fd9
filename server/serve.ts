import { mkdir } from 'node:fs/promises'
import { getRequestListener } from '@hono/node-server'
import { closeManifestThread } from '#server/agents/manifest-thread.ts'
import { closeToolServers } from '#server/agents/stdio-connections.ts'
import { startFilling } from '#server/approvals/fill.ts'
import { startSealer } from '#server/audit/sealing/sealer.ts'
import { loadWitnesses, startWitnessing } from '#server/audit/witnesses/witnesses.ts'
import { registerCatalog } from '#server/catalog/operations.ts'
import { companyMcpServers } from '#server/demo/company/tool-servers.ts'
import { seedDemo } from '#server/demo/seed.ts'
import { demoMcpServers } from '#server/demo/tool-servers.ts'
import { toolsAt } from '#server/executions/gateway/tools-at.ts'
import { registerGatewayTools } from '#server/identity/consent/gateway-tools.ts'
import { identityHandler, isRealmPath } from '#server/identity/handler.ts'
import { loadTrustedIssuers } from '#server/kernel/auth/issuers/trusted.ts'
import { bindRows } from '#server/kernel/bound/bind.ts'
import { startBinding } from '#server/kernel/bound/worker.ts'
import type { Config } from '#server/kernel/config.ts'
import { startCommitting } from '#server/kernel/content/commit-content.ts'
import { encryptPlaintext } from '#server/kernel/content/encrypt-plaintext.ts'
import { refuseUnfinishedRestore } from '#server/kernel/db/copy/unfinished-restore.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { openEmbeddedDatabase } from '#server/kernel/db/embedded.ts'
import { openListener } from '#server/kernel/db/listen.ts'
import { isUnused, migrate } from '#server/kernel/db/migrate.ts'
import { requireServerRole } from '#server/kernel/db/roles.ts'
import { loadMasterKeys } from '#server/kernel/keys/master-key.ts'
import { createLog, type Log } from '#server/kernel/log.ts'
import { loadMcpServers } from '#server/kernel/mcp-servers.ts'
import { withClient } from '#server/kernel/net/client-address.ts'
import { measureProcess } from '#server/kernel/observe/process-meters.ts'
import { openQueue } from '#server/kernel/queue.ts'
import { type Runtime, runtime, setRuntime } from '#server/kernel/runtime.ts'
import { createVault } from '#server/kernel/vault.ts'
import { closeEngine } from '#server/policies/engine/engine.ts'
import { scimPath } from '#server/scim/address.ts'
import { loadSinks } from '#server/siem/sinks.ts'
import { startSiem } from '#server/siem/worker.ts'
import { recordAccountsBefore } from '#server/tenants/accounts-before.ts'
import { collectCatalog } from './catalog.ts'
import type { OpenPages, Pages } from './console.ts'
import { startHousekeeping } from './housekeeping.ts'
import { openPort, type Routes } from './http.ts'
import { jobs, registerDecisions } from './jobs.ts'
import { isMetricsPath, openMetricsPort, serveMetrics } from './operator-metrics.ts'
import { checkClock } from './readiness.ts'
import { logged } from './request-log.ts'
import { api } from './routes.ts'
import { barePolicy, fixedHeaders } from './shell/policy.ts'
import { createSocket } from './socket.ts'

export type RunningServer = { baseUrl: string; close(): Promise<void> }
type Operators = Awaited<ReturnType<typeof readOperatorFiles>>
/** Prints one line for people. */
type Say = (line: string) => void

/**
 * Starts everything in the order in which the parts need each other, and stops it in reverse. Throws ConfigError,
 * EmbeddedDatabaseError, or the system's error for a port that is taken.
 */
export async function serve(settings: Config, say: Say, openPages: OpenPages): Promise<RunningServer> {
  const closing = new AsyncDisposableStack()
  try {
    const log = createLog(settings.logLevel)
    // The port is taken first: a second start on it must not touch the database.
    const front = await openPort(settings.port, {
      https: settings.baseUrl.startsWith('https:'),
      rateLimitPerMinute: settings.rateLimitPerMinute,
    })
    closing.defer(() => front.close())
    closing.defer(measureProcess())
    await startSpansOf(settings, log, closing)
    if (settings.metricsPort !== undefined) closing.defer(await openMetricsPort(settings.metricsPort, settings))
    const config = settings.port === 0 ? onPort(settings, front.port) : settings
    const operators = await readOperatorFiles(config)
    if (config.identity === 'external') log.info({ authUrl: config.authUrl }, 'another provider serves the realms')
    await refuseUnfinishedRestore(config.dataDir)
    const ownerUrl = config.databaseUrl ?? (await openEmbedded(config, say, closing))
    const stopping = new AbortController()
    front.enter('migrating')
    await openRuntime({ config, log, ...operators, stopping: stopping.signal }, ownerUrl, closing)
    front.enter('starting')
    await checkStart(ownerUrl, say)
    await startWork(operators, ownerUrl, closing)
    if (config.seedDemo && config.roles.has('worker')) await seedDemo(say)
    const socket = createSocket()
    closing.defer(() => socket.close())
    front.answerWith(
      config.roles.has('web') ? routesOf(config, log, socket, openPages(config, log)) : healthOnly(config, log),
    )
    log.debug({ baseUrl: config.baseUrl }, 'listening')
    return {
      baseUrl: config.baseUrl,
      async close() {
        const ms = config.drainSeconds * 1000
        // Requests and jobs that run still need everything else. The port is released last.
        const drained = Promise.all([front.drain(ms), runtime().queue.drain(ms)])
        stopping.abort()
        socket.leave()
        await drained
        await closing.disposeAsync()
      },
    }
  } catch (error) {
    await closing.disposeAsync()
    throw error
  }
}

/** Loads the recorder of spans only where one is configured. */
async function startSpansOf({ spans }: Config, log: Log, closing: AsyncDisposableStack): Promise<void> {
  if (spans === undefined) return
  const { startSpans } = await import('#server/kernel/observe/span-exporter.ts')
  const started = startSpans(spans, log)
  closing.defer(() => started.close())
}

async function openEmbedded({ dataDir }: Config, say: Say, closing: AsyncDisposableStack): Promise<string> {
  const embedded = await openEmbeddedDatabase({ dataDir, say })
  closing.defer(() => embedded.release())
  return embedded.ownerUrl
}

/** The files that settings name. They are read before the database is touched, so that a mistake in one changes nothing. */
async function readOperatorFiles(config: Config) {
  const mcpServers = config.mcpServersFile === undefined ? {} : await loadMcpServers(config.mcpServersFile)
  return {
    mcpServers: { ...companyMcpServers(), ...(config.seedDemo ? demoMcpServers() : {}), ...mcpServers },
    trustedIssuers: await loadTrustedIssuers(config),
    witnesses: await loadWitnesses(config),
    sinks: config.roles.has('worker') ? await loadSinks(config) : [],
  }
}

type Settled = Pick<Runtime, 'config' | 'log' | 'mcpServers' | 'trustedIssuers' | 'stopping'>

/** Database, queue and keys: with `settled`, what `runtime()` returns from here on. */
async function openRuntime(settled: Settled, ownerUrl: string, closing: AsyncDisposableStack): Promise<void> {
  const { config, log, mcpServers, trustedIssuers, stopping } = settled
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const masterKeys = await loadMasterKeys(config)
  // In a new database, no earlier version wrote anything.
  const adoptRowsAfter = (await isUnused(ownerUrl)) ? 0 : config.adoptRowsAfter
  const url = await migrate(ownerUrl, masterKeys[0], (wait) => log.warn(wait, 'a migration waits for locks'))
  const listener = openListener(url, log)
  const database = openDatabase(url, log, { own: listener.own })
  closing.defer(() => database.close())
  closing.defer(() => listener.close())
  const queue = await openQueue(url, log, listener)
  closing.defer(closeEngine)
  closing.defer(closeManifestThread)
  closing.defer(closeToolServers)
  closing.defer(() => queue.close())
  const vault = createVault(...masterKeys)
  setRuntime({
    config: { ...config, adoptRowsAfter },
    log,
    mcpServers,
    trustedIssuers,
    stopping,
    database,
    listener,
    queue,
    vault,
  })
  bindRows()
}

/** What must be true before anything is served. */
async function checkStart(ownerUrl: string, say: Say): Promise<void> {
  await runtime().database.inDirectory(requireServerRole)
  await encryptPlaintext(ownerUrl)
  await recordAccountsBefore()
  const clock = await checkClock()
  if (clock !== undefined) say(clock.problem)
}

/** Everything that runs without a request, in a worker. Another process only creates the queues, to add jobs to them. */
async function startWork(operators: Operators, ownerUrl: string, closing: AsyncDisposableStack): Promise<void> {
  registerDecisions()
  registerCatalog(collectCatalog())
  registerGatewayTools(toolsAt)
  const isWorker = runtime().config.roles.has('worker')
  await runtime().queue.work(isWorker ? jobs : jobs.map((job) => ({ ...job, concurrency: 0 })))
  if (!isWorker) return
  for (const part of [
    startSealer(),
    startWitnessing(operators.witnesses),
    startSiem(operators.sinks),
    startHousekeeping(ownerUrl),
    startCommitting(),
    startFilling(),
    startBinding(),
  ])
    closing.defer(() => part.close())
}

const apiPaths = ['/v1/', `${scimPath}/`, '/.well-known/countersign/', '/.well-known/oauth-protected-resource/v1/']

/** The API, the realms and, for every other address, the pages. */
function routesOf(config: Config, log: Log, socket: ReturnType<typeof createSocket>, pages: Pages): Routes {
  const callApi = getRequestListener(api.fetch, { overrideGlobalObjects: false })
  const { 'x-content-type-options': nosniff, ...rest } = fixedHeaders({ https: config.baseUrl.startsWith('https:') })
  const transport = rest['strict-transport-security']
  return {
    request(req, res) {
      const [path = '/'] = (req.url ?? '/').split('?', 1)
      const isApi = apiPaths.some((start) => path.startsWith(start)) || path === '/v1'
      const isRealm = isRealmPath(path) && config.identity === 'embedded'
      if (isMetricsPath(path, config)) return logged('metrics', req, res, log, () => serveMetrics(req, res, config))
      if (!isApi && !isRealm) return logged('page', req, res, log, () => pages.request(req, res))
      // Where a route does not set its own.
      res.setHeader('x-content-type-options', nosniff)
      res.setHeader('content-security-policy', barePolicy)
      if (transport !== undefined) res.setHeader('strict-transport-security', transport)
      const kind = isHealth(path) ? 'health' : isApi ? 'api' : 'realm'
      return logged(kind, req, res, log, () =>
        withClient(req, () => (isApi ? callApi(req, res) : identityHandler(req, res))),
      )
    },
    upgrade(req, duplex, head) {
      const refused = socket.upgrade(req, duplex, head)
      return refused === 404 ? pages.upgrade(req, duplex, head) : refused
    },
  }
}

const isHealth = (path: string): boolean => path.startsWith('/v1/health/')

/** A process that is not `web` answers only its supervisor and the operator's monitor. */
function healthOnly(config: Config, log: Log): Routes {
  const callApi = getRequestListener(api.fetch, { overrideGlobalObjects: false })
  return {
    request(req, res) {
      const [path = '/'] = (req.url ?? '/').split('?', 1)
      if (isHealth(path)) return logged('health', req, res, log, () => withClient(req, () => callApi(req, res)))
      if (isMetricsPath(path, config)) return logged('metrics', req, res, log, () => serveMetrics(req, res, config))
      res.writeHead(404, { 'content-type': 'text/plain' }).end('This process serves no requests (ROLES).\n')
    },
    upgrade: () => 404,
  }
}

const onPort = (settings: Config, port: number): Config => {
  const place = (url: string) => (url === 'http://localhost:0' ? `http://localhost:${port}` : url)
  return { ...settings, port, baseUrl: place(settings.baseUrl), authUrl: place(settings.authUrl) }
}
