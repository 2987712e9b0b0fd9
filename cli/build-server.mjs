import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { takeBuildLock } from './build-lock.mjs'
import { stampOf } from './sources.mjs'

const ROOT = join(import.meta.dirname, '..')
const FOLDER = 'dist'
/** Change with the packages, or with how the bundle is made. */
const ALSO = ['package.json', 'package-lock.json', 'node_modules/.package-lock.json', 'cli/build-server.mjs']
/** Reads its WebAssembly next to itself. pg asks for pg-native only if someone wants it. */
const NOT_BUNDLED = ['@cedar-policy/cedar-wasm', '@cedar-policy/cedar-wasm/nodejs', 'pg-native']
/** Do without their own place: undici asks whether it has one, pino and thread-stream need it for transports, which we don't use. */
const NEEDS_NO_PLACE = /node_modules\/(pino|thread-stream|undici)\//
/** A file that was changed so shortly before the build may have been read before or after the change. */
const CLOCK_STEP_MS = 50

/**
 * Bundles `entry` with its packages into one file unless the existing one was made from the current files, and returns
 * its address. Loading 2,000 modules would be three quarters of a start. Threads and processes that the server starts run from
 * their sources, which `import.meta.url` still names in the bundle. Two processes never bundle concurrently.
 */
export async function buildServer({ root = ROOT, entry = 'server/main.ts', name = 'server' } = {}) {
  const bundle = join(root, FOLDER, `${name}.mjs`)
  const record = join(root, FOLDER, `${name}.json`)
  if (isFresh(root, record)) return pathToFileURL(bundle)
  const lock = await takeBuildLock(root, 'server')
  try {
    if (isFresh(root, record)) return pathToFileURL(bundle)
    await mkdir(join(root, FOLDER), { recursive: true })
    await rm(record, { force: true })
    const began = Date.now()
    const { code, files } = await bundled(root, join(root, entry))
    // By renaming: a process that starts in between reads the old file or the new one.
    await writeFile(`${bundle}.new`, code)
    await rename(`${bundle}.new`, bundle)
    const last = Math.max(...files.map((file) => statSync(join(root, file)).mtimeMs))
    if (last < began - CLOCK_STEP_MS) await writeFile(record, JSON.stringify({ stamp: stampOf(root, files), files }))
    return pathToFileURL(bundle)
  } finally {
    lock.close()
  }
}

function isFresh(root, record) {
  if (!existsSync(record)) return false
  const { stamp, files } = JSON.parse(readFileSync(record, 'utf8'))
  return stamp === stampOf(root, files)
}

/** The bundle's text, and the files of the tree that it depends on. */
async function bundled(root, input) {
  const { rolldown } = await import('rolldown')
  const build = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    tsconfig: false,
    external: NOT_BUNDLED,
    plugins: [keepPlaces(root)],
    // Known: a package's way to wrap functions of any arity.
    checks: { eval: false },
  })
  // The models of the sign-in service and errors are told apart by the names of their classes.
  const { output } = await build.generate({ format: 'esm', keepNames: true, codeSplitting: false, comments: false })
  // Not the modules of the output, which lacks those that were folded into others.
  const read = await build.watchFiles
  await build.close()
  const own = read.map((id) => relative(root, id)).filter((file) => !/^(\0|\.\.|node_modules)/.test(file))
  return { code: output[0].code, files: [...own, ...ALSO].filter((file) => existsSync(join(root, file))) }
}

/** In the bundle, `import.meta.url` and `import.meta.dirname` name the place of the source, relative to the bundle. */
function keepPlaces(root) {
  return {
    name: 'keep-places',
    transform: {
      filter: { code: /import\.meta\.|\b__(dirname|filename)\b/ },
      handler(code, id) {
        // The bundler's own helpers are in no file.
        if (id.startsWith('\0')) return undefined
        if (/\b__(dirname|filename)\b/.test(code) && !NEEDS_NO_PLACE.test(id))
          throw new Error(`${relative(root, id)} uses __dirname or __filename, which a bundle does not have.`)
        const from = (path) => JSON.stringify(relative(join(root, FOLDER), path))
        return code
          .replace(/\bimport\.meta\.url\b/g, `new URL(${from(id)}, import.meta.url).href`)
          .replace(/\bimport\.meta\.dirname\b/g, `(import.meta.dirname + '/' + ${from(dirname(id))})`)
      },
    },
  }
}
