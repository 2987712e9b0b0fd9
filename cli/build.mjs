// `npm run build`. Must parse on Node 20, as all that it imports statically.
import { continueOnPinnedNode } from './pinned-node.mjs'

await continueOnPinnedNode()
const { buildConsole } = await import('./build-console.mjs')
await buildConsole()
process.stdout.write('The console is built.\n')
