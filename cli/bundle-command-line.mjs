// Bundles the command line, with the catalog of this tree's server in it: root, output. Prints the bundle's own files, one in a line.
import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { catalogOf } from '../server/catalog/operations.ts'
import { collectCatalog } from '../server/catalog.ts'

const [root, output] = process.argv.slice(2)
const catalog = gzipSync(JSON.stringify(catalogOf(collectCatalog())), { level: 9 }).toString('base64')
const build = await rolldown({
  input: join(root, 'cli/countersign/main.ts'),
  cwd: root,
  platform: 'node',
  tsconfig: false,
  transform: { target: 'node20', define: { EMBEDDED_CATALOG: JSON.stringify(catalog) } },
})
const { output: made } = await build.generate({ format: 'esm', codeSplitting: false, comments: false, minify: true })
const files = await build.watchFiles
await build.close()
writeFileSync(output, made[0].code)
const own = files.map((id) => relative(root, id)).filter((file) => !/^(\0|\.\.|node_modules)/.test(file))
process.stdout.write([...own, 'cli/bundle-command-line.mjs'].join('\n'))
