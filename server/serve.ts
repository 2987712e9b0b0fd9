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
import { cutJobsEnded } from '#server/kernel/jobs/when-cut.ts'
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
import { unknownTenants } from '#server/tenants/provider/unknown-tenants.ts'
import { listTenants } from '#server/tenants/store.ts'
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

export type RunningServer = {
  baseUrl: string
  close(): Promise<void>
  /** The parts that are not closed yet. The first one is the one that `close` waits for. */
  open(): string[]
}
type Operators = Awaited<ReturnType<typeof readOperatorFiles>>
/** Prints one line for people. */
type Say = (line: string) => void

/**
 * Starts everything in the order in which the parts need each other, and stops it in reverse. Throws ConfigError,
 * EmbeddedDatabaseError, or the system's error for a port that is taken.
 */
export async function serve(settings: Config, say: Say, openPages: OpenPages): Promise<RunningServer> {
  const closing = openParts()
  const [stopping, cut] = [new AbortController(), new AbortController()]
  try {
    const log = createLog(settings.logLevel)
    // The port is taken first: a second start on it must not touch the database.
    const front = await openPort(settings.port, {
      https: settings.baseUrl.startsWith('https:'),
      rateLimitPerMinute: settings.rateLimitPerMinute,
    })
    closing.defer({ port: () => front.close() })
    closing.defer({ 'process metrics': measureProcess() })
    await startSpansOf(settings, log, closing)
    if (settings.metricsPort !== undefined)
      closing.defer({ 'metrics port': await openMetricsPort(settings.metricsPort, settings) })
    const config = settings.port === 0 ? onPort(settings, front.port) : settings
    const operators = await readOperatorFiles(config)
    if (config.identity === 'external') log.info({ authUrl: config.authUrl }, 'another provider serves the realms')
    await refuseUnfinishedRestore(config.dataDir)
    const ownerUrl = config.databaseUrl ?? (await openEmbedded(config, say, closing))
    front.enter('migrating')
    await openRuntime({ config, log, ...operators, stopping: stopping.signal, cut: cut.signal }, ownerUrl, closing)
    front.enter('starting')
    await checkStart(ownerUrl, say)
    await startWork(operators, ownerUrl, closing)
    if (config.seedDemo && config.roles.has('worker')) await seedDemo(say)
    await warnOfUnknownTenants(operators)
    const socket = createSocket()
    closing.defer({ sockets: () => socket.close() })
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
        cut.abort()
        await closing.close()
      },
      open: () => closing.open(),
    }
  } catch (error) {
    cut.abort()
    await closing.close()
    throw error
  }
}

type Closers = Record<string, () => unknown>
type Parts = ReturnType<typeof openParts>

/** What is to be closed, by names for the operator. */
function openParts() {
  const stack = new AsyncDisposableStack()
  const names = new Set<string>()
  return {
    /** Those of one call are closed together, after those of later calls. */
    defer(parts: Closers): void {
      for (const name of Object.keys(parts)) names.add(name)
      stack.defer(async () => {
        const closing = Object.entries(parts).map(async ([name, close]) => {
          await close()
          names.delete(name)
        })
        // Also if one fails, the others must be closed before what they need is.
        await Promise.allSettled(closing)
        await Promise.all(closing)
      })
    },
    open: () => [...names].reverse(),
    close: () => stack.disposeAsync(),
  }
}

/** Loads the recorder of spans only where one is configured. */
async function startSpansOf({ spans }: Config, log: Log, closing: Parts): Promise<void> {
  if (spans === undefined) return
  const { startSpans } = await import('#server/kernel/observe/span-exporter.ts')
  const started = startSpans(spans, log)
  closing.defer({ spans: () => started.close() })
}

async function openEmbedded({ dataDir }: Config, say: Say, closing: Parts): Promise<string> {
  const embedded = await openEmbeddedDatabase({ dataDir, say })
  closing.defer({ 'embedded database': () => embedded.release() })
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

type Settled = Pick<Runtime, 'config' | 'log' | 'mcpServers' | 'trustedIssuers' | 'stopping' | 'cut'>

/** Database, queue and keys: with `settled`, what `runtime()` returns from here on. */
async function openRuntime(settled: Settled, ownerUrl: string, closing: Parts): Promise<void> {
  const { config, log, mcpServers, trustedIssuers, stopping, cut } = settled
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const masterKeys = await loadMasterKeys(config)
  // In a new database, no earlier version wrote anything.
  const adoptRowsAfter = (await isUnused(ownerUrl)) ? 0 : config.adoptRowsAfter
  const url = await migrate(ownerUrl, masterKeys[0], (wait) => log.warn(wait, 'a migration waits for locks'))
  const listener = openListener(url, log)
  const database = openDatabase(url, log, { own: listener.own })
  closing.defer({ database: () => database.close() })
  closing.defer({ listener: () => listener.close() })
  const queue = await openQueue(url, log, listener)
  closing.defer({ 'policy engine': closeEngine })
  closing.defer({ 'manifest threads': closeManifestThread })
  closing.defer({ 'tool servers': closeToolServers })
  closing.defer({ queue: () => queue.close() })
  // What they enqueue again needs the queue and the database.
  closing.defer({ 'jobs that were cut': cutJobsEnded })
  const vault = createVault(...masterKeys)
  setRuntime({
    config: { ...config, adoptRowsAfter },
    log,
    mcpServers,
    trustedIssuers,
    stopping,
    cut,
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

/** After the demo, whose tenants the files may name. */
async function warnOfUnknownTenants({ trustedIssuers: issuers, sinks }: Operators): Promise<void> {
  if (issuers.length + sinks.length === 0) return
  const tenants = await runtime().database.inDirectory(listTenants)
  for (const { setting, text } of unknownTenants(tenants, { issuers, sinks })) runtime().log.warn(`${setting}: ${text}`)
}

/** Everything that runs without a request, in a worker. Another process only creates the queues, to add jobs to them. */
async function startWork(operators: Operators, ownerUrl: string, closing: Parts): Promise<void> {
  registerDecisions()
  registerCatalog(collectCatalog())
  registerGatewayTools(toolsAt)
  const isWorker = runtime().config.roles.has('worker')
  await runtime().queue.work(isWorker ? jobs : jobs.map((job) => ({ ...job, concurrency: 0 })))
  if (!isWorker) return
  const parts = {
    signer: startSealer(),
    witnesses: startWitnessing(operators.witnesses),
    sinks: startSiem(operators.sinks),
    housekeeping: startHousekeeping(ownerUrl),
    commitments: startCommitting(),
    'search of approvals': startFilling(),
    'rows bound to the log': startBinding(),
  }
  closing.defer(Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, () => part.close()])))
}

const apiPaths = ['/v1/', `${scimPath}/`, '/.well-known/countersign/', '/.well-known/oauth-protected-resource/v1/']

/** The API, the realms and, for every other address, the pages. */
function routesOf(config: Config, log: Log, socket: ReturnType<typeof createSocket>, pages: Pages): Routes {
  const callApi = getRequestListener(api.fetch)
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
  const callApi = getRequestListener(api.fetch)
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
