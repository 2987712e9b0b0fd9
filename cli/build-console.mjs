import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const ROOT = join(import.meta.dirname, '..')
const FILES = [
  'package.json',
  'package-lock.json',
  'next.config.mjs',
  'tsconfig.json',
  'postcss.config.mjs',
  'instrumentation-client.ts',
]
const FOLDERS = ['app', 'components', 'lib', 'public', 'server']
const TEST_FILE = /\.test\.tsx?$/
const RECORD = join(ROOT, '.next', 'countersign-build.json')
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
const SQLITE_BUSY = 5
const LONGEST_WAIT_MS = 10 * 60 * 1000

const say = (line) => process.stdout.write(`${line}\n`)

/**
 * Builds the console unless the build that is there was made from exactly the present files; two processes never
 * build at once. Where the build fails, writes its output and ends this process with exit code 1.
 */
export async function buildConsole() {
  if (await isFresh()) return
  const lock = await takeBuildLock()
  try {
    if (await isFresh()) return
    say('Building the console (about 20 s)…')
    // Before the build: what is edited while it runs makes it stale.
    const digest = await sourceDigest()
    await rm(RECORD, { force: true })
    await runNextBuild()
    await writeFile(RECORD, `${JSON.stringify({ digest })}\n`)
  } finally {
    lock.close()
  }
}

async function isFresh() {
  if (!existsSync(RECORD) || !existsSync(join(ROOT, '.next', 'BUILD_ID'))) return false
  return JSON.parse(await readFile(RECORD, 'utf8')).digest === (await sourceDigest())
}

/** SHA-256 (hex) over path and content of all that the build is made from. */
export async function sourceDigest() {
  const found = FILES.map((file) => join(ROOT, file)).filter((file) => existsSync(file))
  for (const folder of FOLDERS) {
    const path = join(ROOT, folder)
    if (!existsSync(path)) continue
    for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
      // Packages of others may be installed below the server, for its compatibility tests.
      if (relative(ROOT, entry.parentPath).includes('node_modules')) continue
      if (entry.isFile() && !TEST_FILE.test(entry.name)) found.push(join(entry.parentPath, entry.name))
    }
  }
  const digest = createHash('sha256')
  for (const file of found.sort()) {
    const content = await readFile(file)
    // With its length, so that no two lists of files run together to the same bytes.
    digest.update(`${relative(ROOT, file)}\0${content.length}\0`).update(content)
  }
  return digest.digest('hex')
}

/** SQLite's file lock: the operating system drops it when its holder dies. Outside .next, which the build empties. */
async function takeBuildLock() {
  const folder = join(ROOT, 'node_modules', '.cache')
  await mkdir(folder, { recursive: true })
  const lock = new DatabaseSync(join(folder, 'countersign-build.lock'), { timeout: 0 })
  const take = 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'
  try {
    lock.exec(take)
  } catch (error) {
    if (error.errcode !== SQLITE_BUSY) throw error
    say('Another start is building the console; waiting for it.')
    lock.exec(`PRAGMA busy_timeout = ${LONGEST_WAIT_MS}`)
    lock.exec(take)
  }
  return lock
}

function runNextBuild() {
  const next = join(ROOT, 'node_modules', 'next', 'dist', 'bin', 'next')
  const child = spawn(process.execPath, [next, 'build'], {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk
    })
  }
  let stoppedBy
  const stop = (signal) => {
    stoppedBy = signal
    child.kill(signal)
  }
  // A build that outlived this process would go on writing without the lock.
  for (const signal of STOP_SIGNALS) process.on(signal, stop)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      for (const signal of STOP_SIGNALS) process.off(signal, stop)
      if (stoppedBy) process.kill(process.pid, stoppedBy)
      else if (code === 0) resolve(undefined)
      else fail(output)
    })
  })
}

function fail(output) {
  process.stderr.write(`${output}\nThe console could not be built; the reason is above.\n`)
  process.exit(1)
}
