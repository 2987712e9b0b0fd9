// `npm start`. Must parse on Node 20, as all that it imports statically.
import { continueOnPinnedNode } from './pinned-node.mjs'

await continueOnPinnedNode()
process.env.NODE_ENV ??= 'production'
const { buildConsole } = await import('./build-console.mjs')
await buildConsole()
await import('../server/main.ts')
