import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Calls, type Credentials, callsTo, payload } from '../api.ts'
import { aroundNow } from '../exports.ts'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'

// What `npm run release` writes, as an operator gets it: unpacked into an empty folder, on a machine without npm and Node.

const root = join(import.meta.dirname, '../../..')
/** What the server and its launcher call in addition to their own programs. */
const programs = ['sh', 'dirname', 'readlink', 'sync', 'ls']
let place: string
let folder: string
let environment: NodeJS.ProcessEnv
let server: ChildProcess
let calls: Calls
let before: string

beforeAll(async () => {
  const printed = execFileSync(process.execPath, ['cli/release/main.mjs'], { cwd: root, encoding: 'utf8' })
  const archive = /^(\/.*\.tar\.gz)$/m.exec(printed)?.[1] ?? ''
  place = mkdtempSync(join(tmpdir(), 'countersign-release-'))
  // The embedded PostgreSQL runs as another account where this one is root.
  chmodSync(place, 0o755)
  execFileSync('tar', ['-xzf', archive, '-C', place])
  folder = join(place, readdirSync(place)[0] ?? '')
  execFileSync('chmod', ['-R', 'a-w', folder])
  before = contentOf(folder)
  mkdirSync(join(place, 'path'))
  for (const program of programs)
    symlinkSync(execFileSync('which', [program], { encoding: 'utf8' }).trim(), join(place, 'path', program))
  environment = {
    NODE_ENV: 'production',
    PATH: join(place, 'path'),
    DATA_DIR: join(place, 'data'),
    PORT: String(await freePort()),
    LOG_LEVEL: 'warn',
  }
  server = spawn(join(folder, 'countersign-server'), ['start'], {
    cwd: place,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const baseUrl = await readyAt(server)
  const credentials: Credentials = JSON.parse(readFileSync(join(place, 'data/demo-credentials.json'), 'utf8'))
  calls = callsTo(baseUrl, credentials)
}, 900_000)
afterAll(async () => {
  if (server?.exitCode === null) {
    server.kill('SIGKILL')
    await once(server, 'exit')
  }
  if (place === undefined) return
  execFileSync('chmod', ['-R', 'u+w', place])
  rmSync(place, { recursive: true })
})

async function readyAt({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('unreachable: stdout is a pipe')
  for await (const line of createInterface({ input: stdout })) {
    const address = /^Countersign is ready at (\S+)$/.exec(line)?.[1]
    if (address !== undefined) return address
  }
  throw new Error('The server ended before it was ready.')
}

/** Every path of the archive with its size and the time of its last change. */
const contentOf = (at: string): string =>
  readdirSync(at, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((path) => {
      const { size, mtimeMs } = lstatSync(join(at, path))
      return `${path} ${size} ${mtimeMs}`
    })
    .join('\n')

const command = (args: string[], settings: Record<string, string> = {}) =>
  spawnSync(join(folder, 'countersign-server'), args, {
    cwd: place,
    env: { ...environment, ...settings },
    encoding: 'utf8',
  })

describe('the archive', () => {
  test('has at most 350 MB, and no build tool', () => {
    const kilobytes = Number(execFileSync('du', ['-sk', folder], { encoding: 'utf8' }).split('\t')[0])
    expect(kilobytes * 1024).toBeLessThan(350e6)
    for (const name of ['next', 'tailwindcss', 'rolldown', 'typescript', 'react', 'vitest'])
      expect(existsSync(join(folder, 'node_modules', name))).toBe(false)
    expect(
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /(?<!\.d)\.tsx?$/.test(path)),
    ).toEqual([])
    expect(readFileSync(join(folder, 'LICENCES.txt'), 'utf8')).toContain('kysely 0.')
  })

  test('serves the console, its style and the command line', async () => {
    const page = await calls.request(undefined, '/sign-in')
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('<html')])
    const style = /href="(\/_next\/static\/[^"]+\.css)"/.exec(page.text)?.[1] ?? ''
    expect((await calls.request(undefined, style)).status).toBe(200)
    expect((await calls.request(undefined, '/cli/countersign.mjs')).text).toContain('countersign')
  })

  test('signs people in, and decides by a policy whose rules threads have checked', async () => {
    const maria = await calls.person('maria')
    const { items } = payload<{ items: { id: string }[] }>(await calls.query(maria, 'approvals.list', {}))
    expect(items.length).toBeGreaterThan(0)
    const agents = payload<{ items: { id: string; name: string }[] }>(await calls.query(maria, 'agents.list', {}))
    const agentId = agents.items.find(({ name }) => name === 'refund-assistant')?.id
    const call = {
      agentId,
      environment: 'production',
      action: 'ToolCall',
      resource: 'payments/issue_refund',
      arguments: { id: 'A-1002', amount: '4200.00', currency: 'EUR' },
      context: { toolCalls: 1 },
    }
    const decision = await calls.mutate(await calls.client('ci-pipeline'), 'policies.evaluate', call)
    expect(payload(decision)).toMatchObject({ effect: 'require_approval' })
  })

  test('exports evidence, in a process of its own', { timeout: 300_000 }, async () => {
    const auditor = await calls.client('audit-export')
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify(aroundNow())
    const created = await calls.request(auditor, '/v1/evidence/export-jobs', { method: 'POST', headers, body })
    expect(created.status).toBe(202)
    const { exportId } = created.body as { exportId: string }
    const job = await until(
      async () => {
        const { status } = (await calls.request(auditor, `/v1/evidence/factory/jobs/${exportId}`)).body as {
          status: string
        }
        return ['completed', 'completed_with_omissions', 'failed'].includes(status) ? status : undefined
      },
      'the export ended',
      120_000,
    )
    expect(job).toBe('completed')
  })

  test('backs up and restores, checks itself, and names its commands', { timeout: 300_000 }, () => {
    const backup = command(['backup', join(place, 'backup.tar.gz'), '--unencrypted'])
    expect([backup.status, backup.stdout]).toEqual([0, expect.stringContaining('rows')])
    const restored = command(['restore', join(place, 'backup.tar.gz')], { DATA_DIR: join(place, 'restored') })
    expect([restored.status, restored.stdout]).toEqual([0, expect.stringContaining('northwind: ')])
    expect(command(['doctor']).stdout).toMatch(/^ok {7}Address {3}WebSockets pass$/m)
    expect(command(['tenant', 'list']).stdout).toContain('northwind')
    expect(command(['backup', '--help']).stdout).toMatch(/^countersign-server backup <file>/)
    const unknown = command(['start-again'])
    expect([unknown.status, unknown.stderr]).toEqual([
      2,
      expect.stringMatching(/^Usage: countersign-server start \| backup/),
    ])
  })

  test('ends on a signal, and wrote nothing next to itself', async () => {
    server.kill('SIGTERM')
    expect(await once(server, 'exit')).toEqual([0, null])
    expect(contentOf(folder)).toBe(before)
  })
})
