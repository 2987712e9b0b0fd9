// Bundles a program of the tree, and the programs that it runs as processes and threads: root, entry, folder, name. Writes
// `<name>.mjs.new`, and `<name>-<program>.mjs.new` for each of these programs, into the folder. The last line that it prints is JSON with the
// names and the files that the bundles depend on.
import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

/** Change with the packages, or with how the bundle is made. */
const ALSO = ['package.json', 'package-lock.json', 'node_modules/.package-lock.json', 'cli/bundle.mjs']
/** Reads its WebAssembly next to itself. pg asks for pg-native only if someone wants it. */
const NOT_BUNDLED = ['@cedar-policy/cedar-wasm', '@cedar-policy/cedar-wasm/nodejs', 'pg-native']
/** Do without their own place: undici asks whether it has one, pino and thread-stream need it for transports, which we don't use. */
const NEEDS_NO_PLACE = /node_modules\/(pino|thread-stream|undici)\//
/** Modules with `scripts` and `sources`: the bundle has what the former returns, and depends on the files that the latter names. */
const MADE_HERE = /\/verifier-scripts\.ts$/
/** How a module names a program next to it that it runs as a process, or as a thread. */
const PROCESS = /new URL\('\.\/([\w-]+-process)\.ts', import\.meta\.url\)/g
const THREAD = /(?<=startWorker\()import\.meta\.url, '([\w-]+-worker)\.ts'/g

const [root, entry, folder, name] = process.argv.slice(2)
/** The file of each bundle, by its entry. */
const programs = new Map([[join(root, entry), `${name}.mjs`]])
const read = new Set()
// Grows while it is read: a bundle adds the programs that it runs.
for (const [input, file] of programs) {
  const { code, files } = await bundled(input)
  writeFileSync(join(folder, `${file}.new`), code)
  for (const one of files) read.add(one)
}
process.stdout.write(`\n${JSON.stringify({ bundles: [...programs.values()], files: [...read] })}`)

/** The bundle's text, and the files of the tree that it depends on. */
async function bundled(input) {
  const build = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    tsconfig: false,
    external: NOT_BUNDLED,
    plugins: [makeHere(), keepPlaces(), escapePages()],
    // Known: a package's way to wrap functions of any arity.
    checks: { eval: false },
  })
  const { output } = await build.generate({
    format: 'esm',
    // The models of the sign-in service and errors are told apart by the names of their classes.
    keepNames: true,
    codeSplitting: false,
    comments: false,
    // V8 keeps a text with a single other character in two bytes for each, and the server's text is 10 MB.
    charset: 'ascii',
  })
  // Not the modules of the output, which lacks those that were folded into others.
  const sources = await build.watchFiles
  await build.close()
  const own = sources.map((id) => relative(root, id)).filter((file) => !/^(\0|\.\.|node_modules)/.test(file))
  return { code: output[0].code, files: [...own, ...ALSO].filter((file) => existsSync(join(root, file))) }
}

/** The file of the bundle of a program that is next to the module `id`. */
function programBundle(id, program) {
  const input = join(dirname(id), `${program}.ts`)
  const file = `${name}-${program}.mjs`
  for (const [other, taken] of programs)
    if (taken === file && other !== input)
      throw new Error(`${relative(root, other)} and ${relative(root, input)} would be one file.`)
  programs.set(input, file)
  return file
}

/**
 * In the bundle, `import.meta.url` and `import.meta.dirname` name the place of the source, relative to the bundle. The address of a
 * program that is run as a process or thread is that of its bundle.
 */
function keepPlaces() {
  return {
    name: 'keep-places',
    transform: {
      filter: { code: /import\.meta\.|\b__(dirname|filename)\b/ },
      handler(code, id) {
        // The bundler's own helpers are in no file.
        if (id.startsWith('\0')) return undefined
        if (/\b__(dirname|filename)\b/.test(code) && !NEEDS_NO_PLACE.test(id))
          throw new Error(`${relative(root, id)} uses __dirname or __filename, which a bundle does not have.`)
        const from = (path) => JSON.stringify(relative(folder, path))
        const placed = (text) =>
          text
            .replace(/\bimport\.meta\.url\b/g, `new URL(${from(id)}, import.meta.url).href`)
            .replace(/\bimport\.meta\.dirname\b/g, `(import.meta.dirname + '/' + ${from(dirname(id))})`)
        // What is between two programs, in turn with their names.
        const replaced = (text, pattern, write, rest) =>
          text
            .split(pattern)
            .map((part, at) => (at % 2 === 0 ? rest(part) : write(programBundle(id, part))))
            .join('')
        return replaced(
          code,
          PROCESS,
          (file) => `new URL('./${file}', import.meta.url)`,
          (text) => replaced(text, THREAD, (file) => `import.meta.url, './${file}'`, placed),
        )
      },
    },
  }
}

/**
 * Escapes the characters that the bundler leaves as they are, in templates with a tag, because a tag may read how they are written
 * (`raw`). `html` does not.
 */
function escapePages() {
  return {
    name: 'escape-pages',
    transform: {
      filter: { id: { exclude: /node_modules/ }, code: /\bhtml`/ },
      handler: (code) =>
        code.replace(/(?<!\\)[^\p{ASCII}]/gu, (text) =>
          Array.from(
            { length: text.length },
            (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
          ).join(''),
        ),
    },
  }
}

/** Runs the functions of modules whose result never changes between two builds. */
function makeHere() {
  return {
    name: 'make-here',
    load: {
      filter: { id: MADE_HERE },
      async handler(id) {
        const { scripts, sources } = await import(pathToFileURL(id).href)
        for (const file of sources()) this.addWatchFile(file)
        return `export const scripts = () => (${JSON.stringify(scripts())})`
      },
    },
  }
}
