import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, watch, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { findPostmaster } from './embedded/pid-file.ts'
import { openEmbeddedDatabase } from './embedded.ts'

const isRoot = process.getuid?.() === 0
const silent = () => undefined
let folder: string
let dataDir: string

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-embedded-')))
  // mkdtemp creates the folder with 0700; a separate test below covers that case.
  await chmod(folder, 0o711)
  dataDir = join(folder, 'data')
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const open = (options: { dataDir: string; say?: (line: string) => void }) =>
  openEmbeddedDatabase({ say: silent, ...options })

async function query(ownerUrl: string, text: string) {
  const client = new pg.Client(ownerUrl)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** Opens the database in a separate process, which releases it when its standard input ends. */
const HOLDER = `
  process.umask(Number(process.argv[3]))
  const { openEmbeddedDatabase } = await import(process.argv[1])
  const lines = []
  const database = await openEmbeddedDatabase({ dataDir: process.argv[2], say: (line) => lines.push(line) })
  console.log(JSON.stringify({ ...database, lines }))
  for await (const _ of process.stdin) continue
  await database.release()`

function startHolder(directory: string, umask = 0o022): ChildProcessWithoutNullStreams {
  const module = new URL('./embedded.ts', import.meta.url).href
  return spawn(process.execPath, ['--input-type=module', '-e', HOLDER, module, directory, String(umask)])
}

async function opened(holder: ChildProcessWithoutNullStreams) {
  let errors = ''
  holder.stderr.on('data', (chunk) => {
    errors += chunk
  })
  for await (const line of createInterface(holder.stdout)) {
    return JSON.parse(line) as { ownerUrl: string; directory: string; lines: string[] }
  }
  throw new Error(`the holder did not open the database: ${errors}`)
}

async function released(holder: ChildProcessWithoutNullStreams) {
  holder.stdin.end()
  const [code] = await once(holder, 'exit')
  expect(code).toBe(0)
}

async function killed(holder: ChildProcessWithoutNullStreams) {
  holder.kill('SIGKILL')
  await once(holder, 'exit')
}

describe('one cluster', () => {
  test('a cold start creates a durable, private server, and a warm start finds its data', async () => {
    const cold = await open({ dataDir })
    expect(cold.directory).toBe(join(dataDir, 'pg18'))
    const [settings] = await query(
      cold.ownerUrl,
      `select current_setting('fsync') as fsync, current_setting('data_checksums') as checksums,
         current_setting('listen_addresses') as address, current_setting('unix_socket_directories') as sockets,
         current_setting('password_encryption') as passwords, current_setting('server_encoding') as encoding,
         (select datlocprovider::text || ' ' || datlocale from pg_database where datname = current_database()) as locale`,
    )
    expect(settings).toEqual({
      fsync: 'on',
      checksums: 'on',
      address: '127.0.0.1',
      sockets: '',
      passwords: 'scram-sha-256',
      encoding: 'UTF8',
      locale: 'b C.UTF-8',
    })
    const wrong = new URL(cold.ownerUrl)
    wrong.password = 'wrong'
    await expect(query(wrong.href, 'select')).rejects.toMatchObject({ code: '28P01' })
    expect((await stat(join(cold.directory, 'owner-password'))).mode & 0o777).toBe(0o600)
    expect((await stat(join(cold.directory, 'server.log'))).mode & 0o777).toBe(0o600)

    await query(cold.ownerUrl, 'create table kept as select 42 as value')
    await cold.release()
    expect(await findPostmaster(cold.directory)).toBeUndefined()
    await expect(query(cold.ownerUrl, 'select')).rejects.toMatchObject({ code: 'ECONNREFUSED' })

    const warm = await open({ dataDir })
    expect(await query(warm.ownerUrl, 'select value from kept')).toEqual([{ value: 42 }])
    await warm.release()
  })

  test('opening twice in one process shares a server, which the last release stops; a second release does nothing', async () => {
    const [one, two] = await Promise.all([open({ dataDir }), open({ dataDir })])
    expect(one.ownerUrl).toBe(two.ownerUrl)
    await one.release()
    await one.release()
    expect(await query(two.ownerUrl, 'select 1 as one')).toEqual([{ one: 1 }])
    await Promise.all([two.release(), two.release()])
    expect(await findPostmaster(two.directory)).toBeUndefined()
  })

  test('a process killed with -9 leaves the server running; the next start attaches and its release stops it', async () => {
    const holder = startHolder(dataDir)
    const { directory, ownerUrl } = await opened(holder)
    const before = await findPostmaster(directory)
    await killed(holder)
    expect(await query(ownerUrl, 'select 1 as one')).toEqual([{ one: 1 }])
    const next = await open({ dataDir })
    expect(next.ownerUrl).toBe(ownerUrl)
    expect(await findPostmaster(directory)).toEqual(before)
    await next.release()
    expect(await findPostmaster(directory)).toBeUndefined()
  })

  test('a process killed with -9 just before the last release does not keep the server running', async () => {
    const holder = startHolder(dataDir)
    const { directory } = await opened(holder)
    const other = await open({ dataDir })
    await killed(holder)
    await other.release()
    expect(await findPostmaster(directory)).toBeUndefined()
  })

  test('a killed server restarts on the same port for attached processes', async () => {
    const lines: string[] = []
    const database = await open({ dataDir, say: (line) => lines.push(line) })
    const before = await findPostmaster(database.directory)
    process.kill(before?.pid ?? 0, 'SIGKILL')
    const answer = () => query(database.ownerUrl, 'select value from kept')
    await vi.waitFor(async () => expect(await answer()).toEqual([{ value: 42 }]), { timeout: 20_000, interval: 50 })
    expect((await findPostmaster(database.directory))?.pid).not.toBe(before?.pid)
    expect(lines).toEqual(['The connection to PostgreSQL was lost. Reconnecting…'])
    await database.release()
    expect(await findPostmaster(database.directory)).toBeUndefined()
  })

  test('after a power cut a stale postmaster.pid is ignored, even if its process id is in use again', async () => {
    const { uid, gid } = await stat(join(dataDir, 'pg18'))
    const stranger = spawn('sleep', ['60'], isRoot ? { uid, gid } : {})
    const pidFile = join(dataDir, 'pg18', 'postmaster.pid')
    await writeFile(pidFile, `${stranger.pid}\n${dataDir}/pg18\n1\n1\n\n127.0.0.1\n1 1\nready   \n`, { mode: 0o600 })
    try {
      const database = await open({ dataDir })
      expect(await query(database.ownerUrl, 'select value from kept')).toEqual([{ value: 42 }])
      expect(stranger.exitCode ?? stranger.signalCode).toBeNull()
      await database.release()
    } finally {
      stranger.kill()
    }
  })

  test.runIf(isRoot)('a cluster that root restored from a backup is given back to the server’s account', async () => {
    const restored = join(folder, 'restored')
    await once(spawn('cp', ['-r', dataDir, restored]), 'exit')
    const database = await open({ dataDir: restored })
    expect(await query(database.ownerUrl, 'select value from kept')).toEqual([{ value: 42 }])
    expect((await stat(database.directory)).uid).not.toBe(0)
    await database.release()
  })
})

test('processes that start concurrently share one server, which only the last one stops', async () => {
  const directory = join(folder, 'at-once')
  const holders = Array.from({ length: 4 }, () => startHolder(directory))
  const databases = await Promise.all(holders.map(opened))
  expect(new Set(databases.map(({ ownerUrl }) => ownerUrl)).size).toBe(1)
  expect((await readdir(directory)).sort()).toEqual(['pg18', 'pg18.lock'])
  const [last, ...others] = holders
  await Promise.all(others.map(released))
  expect(await findPostmaster(join(directory, 'pg18'))).toMatchObject({ status: 'ready' })
  if (last) await released(last)
  expect(await findPostmaster(join(directory, 'pg18'))).toBeUndefined()
})

test('a start that is killed while it creates the cluster does not block the next start', async () => {
  const directory = join(folder, 'half-made')
  await mkdir(directory)
  const changes = watch(directory)
  const holder = startHolder(directory)
  for await (const { filename } of changes) if (filename?.startsWith('pg18.new-')) break
  await killed(holder)
  const database = await open({ dataDir: directory })
  expect(await query(database.ownerUrl, 'select 1 as one')).toEqual([{ one: 1 }])
  await database.release()
  expect((await readdir(directory)).sort()).toEqual(['pg18', 'pg18.lock'])
})

describe.runIf(isRoot)('root with a private home and umask 077', () => {
  test('runs the server as another account, with the cluster in a folder that the account can enter', async () => {
    const home = join(folder, 'private')
    await mkdir(home, { mode: 0o700 })
    const privateData = join(home, 'clone', '.data')
    const first = startHolder(privateData, 0o077)
    const { ownerUrl, directory, lines } = await opened(first)
    try {
      expect(directory).toMatch(/^\/var\/lib\/countersign\/[0-9a-f]{16}\/pg18$/)
      expect(lines.join('\n')).toContain(dirname(directory))
      expect((await stat(directory)).mode & 0o777).toBe(0o700)
      expect((await stat(directory)).uid).not.toBe(0)
      expect((await readdir(privateData)).sort()).toEqual(['pg18-location.json', 'pg18.lock'])
      const postmaster = await findPostmaster(directory)
      expect(await readFile(`/proc/${postmaster?.pid}/status`, 'utf8')).not.toMatch(/^Uid:.*\t0\b/m)
      await query(ownerUrl, 'create table kept as select 42 as value')
      await released(first)
      const again = startHolder(privateData, 0o077)
      expect(await query((await opened(again)).ownerUrl, 'select value from kept')).toEqual([{ value: 42 }])
      await released(again)

      const copy = join(home, 'copy')
      await once(spawn('cp', ['-r', privateData, copy]), 'exit')
      await expect(open({ dataDir: copy })).rejects.toThrow(`its database belongs to ${privateData}`)
      await rm(dirname(directory), { recursive: true })
      await expect(open({ dataDir: privateData })).rejects.toThrow('which no longer exists')
    } finally {
      first.kill('SIGKILL')
      await rm(dirname(directory), { recursive: true, force: true })
    }
  })
})

test('a folder that cannot be used is reported in one line', async () => {
  const file = join(folder, 'file')
  await writeFile(file, '')
  const failure = expect(open({ dataDir: join(file, 'data') })).rejects
  await failure.toThrow(/^The database cannot use .*: part of its path is a file\.$/)
})
