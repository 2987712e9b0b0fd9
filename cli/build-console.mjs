import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { runStep } from './run-step.mjs'

const ROOT = join(import.meta.dirname, '..')
const FILES = [
  'cli/build-console.mjs',
  'package.json',
  'package-lock.json',
  'next.config.mjs',
  'tsconfig.json',
  'postcss.config.mjs',
  'instrumentation-client.ts',
]
const FOLDERS = ['app', 'components', 'lib', 'public', 'cli/console']
const TEST_FILE = /\.test\.tsx?$/
/** Route handlers, which the server runs from their sources. */
const NOT_BUILT = join('app', 'v1')
/** The project and the program that builds it. */
const OWN_TREE = { root: ROOT, next: join(ROOT, 'node_modules', 'next', 'dist', 'bin', 'next') }
/** The folder that the server reads. */
export const CONSOLE_DIR = join(ROOT, '.next', 'console')
const recordIn = (root) => join(root, '.next', 'countersign-build.json')
/** `cache` makes the next build fast; `dev` and `lock` belong to a development server. */
const KEPT = ['cache', 'console', 'dev', 'lock']
/** Ends `next build` when this process is killed, because it would otherwise keep writing without the lock. */
const END_WITH_PARENT = join(import.meta.dirname, 'end-with-parent.mjs')
const SQLITE_BUSY = 5
const LONGEST_WAIT_MS = 10 * 60 * 1000

const say = (line) => process.stdout.write(`${line}\n`)

/**
 * Builds the console unless the existing build was made from exactly the current files; two processes never build
 * concurrently. If the build fails, writes its output and ends this process with exit code 1.
 */
export async function buildConsole({ root, next } = OWN_TREE) {
  if (await isFresh(root)) return
  const lock = await takeBuildLock(root)
  try {
    if (await isFresh(root)) return
    say('Building the console (about 20 s)…')
    // Before the build, so that an edit during the build makes it stale.
    const digest = await sourceDigest(root)
    await rm(recordIn(root), { force: true })
    await runNextBuild(root, next)
    await pack(root)
    await writeFile(recordIn(root), `${JSON.stringify({ digest })}\n`)
  } finally {
    lock.close()
  }
}

/** Whether a console has been built, from any sources. */
export const isBuilt = (root = ROOT) => existsSync(recordIn(root))

async function isFresh(root) {
  if (!isBuilt(root)) return false
  return JSON.parse(await readFile(recordIn(root), 'utf8')).digest === (await sourceDigest(root))
}

/** SHA-256 (hex) over path and content of every file that the build depends on. */
export async function sourceDigest(root = ROOT) {
  const found = FILES.map((file) => join(root, file)).filter((file) => existsSync(file))
  for (const folder of FOLDERS) {
    const path = join(root, folder)
    if (!existsSync(path)) continue
    for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || TEST_FILE.test(entry.name)) continue
      if (!entry.parentPath.startsWith(join(root, NOT_BUILT))) found.push(join(entry.parentPath, entry.name))
    }
  }
  const digest = createHash('sha256')
  for (const file of found.sort()) {
    const content = await readFile(file)
    // With its length, so that two different lists of files never produce the same bytes.
    digest.update(`${relative(root, file)}\0${content.length}\0`).update(content)
  }
  return digest.digest('hex')
}

/** Converts Next's output to the files that the server reads, and removes the rest, which is never run. */
async function pack(root) {
  const output = join(root, '.next')
  const { packConsole } = await import('./console/pack.ts')
  try {
    packConsole(output, join(root, 'public'), join(output, 'console'))
  } catch (error) {
    fail(error.message)
  }
  for (const name of await readdir(output)) if (!KEPT.includes(name)) await rm(join(output, name), { recursive: true })
}

/** SQLite's file lock, which the operating system releases when its holder dies. Outside .next, which the build empties. */
async function takeBuildLock(root) {
  const folder = join(root, 'node_modules', '.cache')
  await mkdir(folder, { recursive: true })
  const lock = new DatabaseSync(join(folder, 'countersign-build.lock'), { timeout: 0 })
  const take = 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'
  try {
    lock.exec(take)
  } catch (error) {
    if (error.errcode !== SQLITE_BUSY) throw error
    say('Another process is building the console. Waiting for it…')
    lock.exec(`PRAGMA busy_timeout = ${LONGEST_WAIT_MS}`)
    lock.exec(take)
  }
  return lock
}

async function runNextBuild(root, next) {
  const { ok, output } = await runStep(['--import', END_WITH_PARENT, next, 'build'], {
    cwd: root,
    env: { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    stdin: 'pipe',
    capture: true,
  })
  if (!ok) fail(output)
}

function fail(output) {
  process.stderr.write(`${output}\nThe console could not be built. See the output above.\n`)
  process.exit(1)
}
