// Bundles a program of the tree: root, entry, output. Prints the files that the bundle depends on, one in a line.
import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { rolldown } from 'rolldown'

/** Change with the packages, or with how the bundle is made. */
const ALSO = ['package.json', 'package-lock.json', 'node_modules/.package-lock.json', 'cli/bundle.mjs']
/** Reads its WebAssembly next to itself. pg asks for pg-native only if someone wants it. */
const NOT_BUNDLED = ['@cedar-policy/cedar-wasm', '@cedar-policy/cedar-wasm/nodejs', 'pg-native']
/** Do without their own place: undici asks whether it has one, pino and thread-stream need it for transports, which we don't use. */
const NEEDS_NO_PLACE = /node_modules\/(pino|thread-stream|undici)\//
const [root, entry, output] = process.argv.slice(2)
const { code, files } = await bundled(root, join(root, entry), dirname(output))
writeFileSync(output, code)
process.stdout.write(files.join('\n'))

/** The bundle's text, and the files of the tree that it depends on. */
async function bundled(root, input, folder) {
  const build = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    tsconfig: false,
    external: NOT_BUNDLED,
    plugins: [keepPlaces(root, folder)],
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
function keepPlaces(root, folder) {
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
        return code
          .replace(/\bimport\.meta\.url\b/g, `new URL(${from(id)}, import.meta.url).href`)
          .replace(/\bimport\.meta\.dirname\b/g, `(import.meta.dirname + '/' + ${from(dirname(id))})`)
      },
    },
  }
}
