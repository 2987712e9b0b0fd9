// `npm run build`. This file and its static imports must parse on Node 20.
import { continueOnPinnedNode } from './pinned-node.mjs'

await continueOnPinnedNode()
const { buildConsole } = await import('./build-console.mjs')
await buildConsole()
process.stdout.write('The console has been built.\n')
