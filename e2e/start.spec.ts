import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect, test } from '@playwright/test'

// `npm start` from an operator's view: processes, signals, ports and settings. No browser.

const root = join(import.meta.dirname, '..')

async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return address.port
}

const environment = (settings: Record<string, string>) => ({
  NODE_ENV: 'production' as const,
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '',
  ...settings,
})

async function start(settings: Record<string, string>): Promise<{ child: ChildProcess; lines: string[] }> {
  const child = spawn(process.execPath, ['cli/start.mjs'], {
    cwd: root,
    env: environment(settings),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (line.includes('is ready at')) return { child, lines }
  }
  throw new Error(`The server ended before it was ready:\n${lines.join('\n')}`)
}

async function refused(settings: Record<string, string>): Promise<{ code: number; stderr: string }> {
  try {
    await promisify(execFile)(process.execPath, ['cli/start.mjs'], { cwd: root, env: environment(settings) })
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string }
    return { code, stderr }
  }
  throw new Error('The server started.')
}

async function interrupt(child: ChildProcess): Promise<number | null> {
  child.kill('SIGINT')
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

/** Whether the database cluster runs, by its pid file. */
const databaseRuns = (pidFile: string): boolean => existsSync(pidFile)

test('a second start shares the database, a used port is refused, and the last process stops the database but keeps its data', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'countersign-start-'))
  chmodSync(dataDir, 0o711)
  const [one, two] = [String(await freePort()), String(await freePort())]
  const first = await start({ PORT: one, DATA_DIR: dataDir })
  const credentials = join(dataDir, 'demo-credentials.json')
  expect(first.lines.join('\n')).toContain(credentials)
  expect(first.lines.at(-1)).toContain(`http://localhost:${one}`)
  expect(statSync(credentials).mode & 0o777).toBe(0o600)
  const demo = JSON.parse(readFileSync(credentials, 'utf8'))
  expect(demo.tenants.map((tenant: { slug: string }) => tenant.slug)).toEqual(['northwind', 'globex'])

  const again = await refused({ PORT: one, DATA_DIR: dataDir })
  expect(again.code).toBe(1)
  expect(
    again.stderr
      .trim()
      .split('\n')
      .filter((line) => !line.includes('next.config')),
  ).toEqual([`Port ${one} is in use by another process, possibly another Countersign. Set PORT to a different port.`])

  const second = await start({ PORT: two, DATA_DIR: dataDir })
  const token = async (port: string) => {
    const [tenant] = demo.tenants
    const client = tenant.clients.find((candidate: { clientId: string }) => candidate.clientId === 'ci-pipeline')
    const response = await fetch(`http://localhost:${port}/realms/northwind/protocol/openid-connect/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
    expect(response.status).toBe(200)
    return (await response.json()).access_token as string
  }
  const pending = async (port: string) => {
    const response = await fetch(`http://localhost:${port}/v1/approvals.getPending`, {
      headers: { authorization: `Bearer ${await token(port)}` },
    })
    return (await response.json()).result.data.json.items.map(
      (item: { approvalId: string }) => item.approvalId,
    ) as string[]
  }
  await expect.poll(() => pending(two)).toHaveLength(1)
  const waiting = await pending(one)

  const pidFile = join(dataDir, 'pg18', 'postmaster.pid')
  expect(await interrupt(first.child)).toBe(0)
  expect(databaseRuns(pidFile)).toBe(true)
  expect(await pending(two)).toEqual(waiting)
  expect(await interrupt(second.child)).toBe(0)
  expect(databaseRuns(pidFile)).toBe(false)

  const third = await start({ PORT: one, DATA_DIR: dataDir })
  expect(await pending(one)).toEqual(waiting)
  expect(await interrupt(third.child)).toBe(0)
  rmSync(dataDir, { recursive: true })
})

for (const [name, value, expected] of [
  ['PORT', 'http', 'PORT must be a whole number from 0 to 65535; it is "http".'],
  [
    'BASE_URL',
    'countersign',
    'BASE_URL must be an http(s) origin without a path, such as https://countersign.example; it is "countersign".',
  ],
  ['ACCESS_TOKEN_TTL', '1', 'ACCESS_TOKEN_TTL must be a whole number of seconds from 10 to 86400; it is "1".'],
  ['SEED_DEMO', 'yes', 'SEED_DEMO must be true or false; it is "yes".'],
  ['DATABASE_URL', 'mysql://x', 'DATABASE_URL must be a PostgreSQL address'],
  ['LOG_LEVEL', 'loud', 'LOG_LEVEL must be one of'],
] as const)
  test(`an invalid ${name} is refused with its name and the expected value`, async () => {
    const { code, stderr } = await refused({ [name]: value })
    expect(code).toBe(1)
    expect(stderr).toContain(expected)
  })
