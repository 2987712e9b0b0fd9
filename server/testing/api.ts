import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { demoTenants } from '#server/demo/tenants.ts'
import { signIn } from '#server/testing/auth/sign-in.ts'
import { testDatabase } from './database.ts'
import { databaseWithDemo, sharedDemo } from './demo.ts'
import { startProcess } from './processes/start-process.ts'

export type Credentials = {
  tenants: {
    slug: string
    externalId: string
    id: string
    users: { username: string; password: string }[]
    clients: { clientId: string; clientSecret: string }[]
  }[]
}

/** Arguments for node, or arguments and environment. */
export type NodeServer = string[] | { args: string[]; env: Record<string, string> }

export type Answer = { status: number; headers: Headers; body: unknown; text: string }

/** Calls of the demo's people and service accounts to one server. */
export type Calls = {
  baseUrl: string
  credentials: Credentials
  /** Tokens of the demo's people and service accounts. Cached for the run, because they are valid for half an hour. */
  person(username: string, slug?: string): Promise<string>
  client(clientId: string, slug?: string): Promise<string>
  query(
    token: string | undefined,
    procedure: string,
    input?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
  mutate(
    token: string | undefined,
    procedure: string,
    input: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
  request(token: string | undefined, path: string, init?: RequestInit): Promise<Answer>
  /** Discards the cached tokens, which are not valid after a change of the clock. */
  forgetTokens(): void
}

export type TestApi = Calls & {
  /** The owner's address of its database, for changes that a test makes without the server. */
  ownerUrl: string
  gate: string
  process: ChildProcess
  /** The log so far, if the environment sets LOG_LEVEL. */
  logged(): string
  /** Kills the process (SIGKILL) if it still runs, and starts a new one on the same data. `between` runs while no process does. */
  killAndRestart(between?: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

/**
 * Starts the real server in a separate process with its own database, the demo tenants and the gated tool server.
 * `toolServers` adds servers: name → arguments of node, and environment. `by` replaces the address of the database.
 */
export async function startApi(
  environment: Record<string, string> = {},
  toolServers: Record<string, NodeServer> = {},
  by: (databaseUrl: string) => Promise<string> = (url) => Promise.resolve(url),
): Promise<TestApi> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-api-'))
  const demo = sharedDemo(environment, toolServers)
  const database = demo === undefined ? await testDatabase() : await databaseWithDemo(demo, await settingsIn(demo, {}))
  if (demo !== undefined) await cp(demo, folder, { recursive: true })
  const settings = { ...(await settingsIn(folder, toolServers)), ...environment }
  const databaseUrl = await by(database.ownerUrl)
  const lines: string[] = []
  const start = (port: string) =>
    startProcess(
      { ...settings, PORT: port, DATABASE_URL: databaseUrl },
      environment.LOG_LEVEL === undefined ? undefined : lines,
    )
  let running = await start('0')
  const { baseUrl } = running
  const credentials: Credentials = JSON.parse(await readFile(join(folder, 'data', 'demo-credentials.json'), 'utf8'))
  return {
    ...callsTo(baseUrl, credentials),
    ownerUrl: database.ownerUrl,
    gate: join(folder, 'gate'),
    get process() {
      return running.child
    },
    logged: () => lines.join(''),
    async killAndRestart(between) {
      if (running.child.exitCode === null && running.child.signalCode === null) {
        running.child.kill('SIGKILL')
        await once(running.child, 'exit')
      }
      await between?.()
      running = await start(new URL(baseUrl).port)
    },
    async close() {
      if (running.child.exitCode === null && running.child.signalCode === null) {
        running.child.kill('SIGTERM')
        await once(running.child, 'exit')
      }
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Settings of a server that keeps its data in `folder`, with the gated tool server and `toolServers`. */
async function settingsIn(folder: string, toolServers: Record<string, NodeServer>): Promise<Record<string, string>> {
  const gate = join(folder, 'gate')
  await mkdir(gate, { recursive: true })
  const payments: NodeServer = [join(import.meta.dirname, 'fakes/gated-payments.ts')]
  const mcpServers = Object.fromEntries(
    Object.entries<NodeServer>({ payments, ...toolServers }).map(([name, server]) => [
      name,
      {
        command: process.execPath,
        args: Array.isArray(server) ? server : server.args,
        env: { COUNTERSIGN_GATE: gate, ...(Array.isArray(server) ? {} : server.env) },
        tenants: demoTenants.map((tenant) => tenant.externalId),
      },
    ]),
  )
  await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers }))
  return {
    PORT: '0',
    DRAIN_SECONDS: '2',
    // Suites call more often than a tenant may by default.
    RATE_LIMIT_PER_MINUTE: '1000000',
    TOKEN_RATE_LIMIT_PER_MINUTE: '1000000',
    // Suites prepare rows by SQL, which would count as tampering.
    ADOPT_ROWS_AFTER: process.env.TEST_ADOPT_ROWS_AFTER ?? '86400',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'error',
    DATA_DIR: join(folder, 'data'),
    MCP_SERVERS: join(folder, 'mcp.json'),
  }
}

/** `credentials` are those that the server wrote when it made the demo. */
export function callsTo(baseUrl: string, credentials: Credentials): Calls {
  const tokens = new Map<string, Promise<string>>()
  const cached = (key: string, make: () => Promise<string>) => {
    const known = tokens.get(key)
    if (known !== undefined) return known
    const token = make()
    tokens.set(key, token)
    // A token request that failed during an outage is repeated.
    token.catch(() => tokens.delete(key))
    return token
  }
  const tenantOf = (slug: string) => {
    const tenant = credentials.tenants.find((candidate) => candidate.slug === slug)
    if (tenant === undefined) throw new Error(`Unknown tenant: ${slug}`)
    return tenant
  }

  const request = async (token: string | undefined, path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = new Headers(init.headers)
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    const response = await fetch(new URL(path, baseUrl), { ...init, headers })
    const text = await response.text()
    const json = response.headers.get('content-type')?.includes('json') === true
    return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : undefined }
  }

  return {
    baseUrl,
    credentials,
    request,
    forgetTokens: () => tokens.clear(),
    person: (username, slug = 'northwind') =>
      cached(`${slug}/${username}`, async () => {
        const user = tenantOf(slug).users.find((candidate) => candidate.username === username)
        return (await signIn(baseUrl, slug, username, user?.password ?? '')).accessToken
      }),
    client: (clientId, slug = 'northwind') =>
      cached(`${slug}/${clientId}`, async () => {
        const client = tenantOf(slug).clients.find((candidate) => candidate.clientId === clientId)
        const body = new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: clientId,
          client_secret: client?.clientSecret ?? '',
        })
        const path = `/realms/${slug}/protocol/openid-connect/token`
        const answer = await patiently(() => request(undefined, path, { method: 'POST', body }))
        if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
        return (answer.body as { access_token: string }).access_token
      }),
    query: (token, procedure, input, headers = {}) =>
      request(
        token,
        `/v1/${procedure}${input === undefined ? '' : `?input=${encodeURIComponent(JSON.stringify({ json: input }))}`}`,
        { headers },
      ),
    mutate: (token, procedure, input, headers = {}) =>
      request(token, `/v1/${procedure}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ json: input }),
      }),
  }
}

/**
 * Retries as a client does when the server responds that it is busy, after the delay that the response names. On a slow
 * machine, many concurrent requests wait longer for a database connection than the server permits.
 */
export async function patiently(call: () => Promise<Answer>): Promise<Answer> {
  for (let asked = 1; ; asked++) {
    const answer = await call()
    if (answer.status !== 503 || asked === 20) return answer
    await setTimeout(1000 * Number(answer.headers.get('retry-after') ?? 1))
  }
}

/** Returns `result.data.json` of a procedure. Throws if the call failed. */
export function payload<T>(answer: Answer): T {
  const body = answer.body as { result?: { data: { json: T } } } | undefined
  if (answer.status !== 200 || body?.result === undefined) throw new Error(`${answer.status}: ${answer.text}`)
  return body.result.data.json
}

/** Returns Countersign's error code from any form of an error body. */
export function reason(answer: Answer): string | undefined {
  const body = answer.body as
    | { code?: string; reason?: string; error?: { json?: { data?: { reason?: string } } } }
    | undefined
  return body?.error?.json?.data?.reason ?? body?.code ?? body?.reason
}
