// `npm run release [-- --folder <path>]`: builds everything, and writes an archive that runs on this platform without npm and without
// build tools (docs/operations.md). With --folder: only the folder, for an image.
import { readArguments } from '../arguments/read-arguments.mjs'
import { continueOnPinnedNode } from '../pinned-node.mjs'

const { values } = readArguments(
  `npm run release -- [--folder <path>]

Builds everything, and writes an archive that runs on this platform without npm and build tools; with --folder only the folder.`,
  { options: { folder: { type: 'string' } } },
)
await continueOnPinnedNode()
const { stageRelease } = await import('./stage.mjs')
const { packRelease } = await import('./pack.mjs')
const { folder, name, bytes } = await stageRelease(values.folder)
process.stdout.write(`${folder} has ${Math.ceil(bytes / 1e6)} MB.\n`)
if (values.folder === undefined) {
  const { file, sha256 } = await packRelease(folder, name)
  process.stdout.write(`${file}\nSHA-256 ${sha256}\n`)
}
