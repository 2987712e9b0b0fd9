import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { takeBuildLock } from './build-lock.mjs'
import { exitAfterOutput } from './exit-after-output.mjs'
import { runStep } from './run-step.mjs'
import { digestOf, stampOf } from './sources.mjs'

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

const say = (line) => process.stdout.write(`${line}\n`)

/**
 * Builds the console unless the existing build was made from exactly the current files; two processes never build
 * concurrently. If the build fails, writes its output and ends this process with exit code 1.
 */
export async function buildConsole({ root, next } = OWN_TREE) {
  const languages = await wantedLanguages()
  if (await isFresh(root, languages)) return
  const lock = await takeBuildLock(root, 'console')
  try {
    if (await isFresh(root, languages)) return
    say('Building the console (about 20 s)…')
    // Before the build, so that an edit during the build makes it stale.
    const files = await sources(root)
    const made = { stamp: stampOf(root, files), digest: await digestOf(root, files) }
    await rm(recordIn(root), { force: true })
    const catalogs = await prepareTexts(root)
    await runNextBuild(root, next, catalogs)
    await pack(root, languages, catalogs)
    await record(root, { ...made, languages })
  } finally {
    lock.close()
  }
}

/** Whether a console has been built, from any sources. */
export const isBuilt = (root = ROOT) => existsSync(recordIn(root))

/** A build in more languages than wanted is fresh, too. A copy or a checkout changes the times of files: then their content decides. */
async function isFresh(root, languages) {
  if (!isBuilt(root)) return false
  const made = JSON.parse(await readFile(recordIn(root), 'utf8'))
  if (!languages.every((language) => made.languages?.includes(language))) return false
  const files = await sources(root)
  const stamp = stampOf(root, files)
  if (made.stamp === stamp) return true
  const { digest } = made
  if (digest !== (await digestOf(root, files))) return false
  await record(root, { ...made, stamp })
  return true
}

/** Those that people can choose; tests also want others (`CONSOLE_LANGUAGES`, separated by commas). */
async function wantedLanguages() {
  const { personalLanguages } = await import('../lib/languages.ts')
  return process.env.CONSOLE_LANGUAGES?.split(',') ?? [...personalLanguages]
}

const record = (root, made) => writeFile(recordIn(root), `${JSON.stringify(made)}\n`)

/** SHA-256 (hex) over path and content of every file that the build depends on. */
export const sourceDigest = async (root = ROOT) => await digestOf(root, await sources(root))

async function sources(root) {
  const found = FILES.filter((file) => existsSync(join(root, file)))
  for (const folder of FOLDERS) {
    const path = join(root, folder)
    if (!existsSync(path)) continue
    for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || TEST_FILE.test(entry.name)) continue
      const file = relative(root, join(entry.parentPath, entry.name))
      if (!file.startsWith(join(NOT_BUILT, '/'))) found.push(file)
    }
  }
  return found
}

/** Converts Next's output to the files that the server reads, and removes the rest, which is never run. */
async function pack(root, languages, catalogs) {
  const output = join(root, '.next')
  const { packConsole } = await import('./console/pack.ts')
  try {
    packConsole(output, join(root, 'public'), join(output, 'console'), { languages, catalogs })
  } catch (error) {
    await fail(error.message)
  }
  for (const name of await readdir(output)) if (!KEPT.includes(name)) await rm(join(output, name), { recursive: true })
}

/** Writes the texts for the loader, which runs in another version of Node if that is the first one in the PATH. */
async function prepareTexts(root) {
  const { modulesOf, readCatalogs } = await import('./console/texts/catalogs.ts')
  try {
    const catalogs = await readCatalogs(join(root, 'components', 'texts'))
    const cache = join(root, '.next', 'cache')
    await mkdir(cache, { recursive: true })
    await writeFile(join(cache, 'texts.json'), JSON.stringify(modulesOf(catalogs)))
    return catalogs
  } catch (error) {
    return await fail(error.message)
  }
}

async function runNextBuild(root, next, catalogs) {
  const { digestOfTexts } = await import('./console/texts/catalogs.ts')
  const { ok, output } = await runStep(['--import', END_WITH_PARENT, next, 'build'], {
    cwd: root,
    env: { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', TEXTS_DIGEST: digestOfTexts(catalogs) },
    stdin: 'pipe',
    capture: true,
  })
  if (!ok) await fail(output)
}

/** Ends this process; what went wrong is at the end of a long output. */
async function fail(output) {
  process.stderr.write(`${output}\nThe console could not be built. See the output above.\n`)
  await exitAfterOutput(1)
}
