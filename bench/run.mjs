#!/usr/bin/env node
// `npm run bench`: what the server costs beside its peers. Must parse on Node 20, as all that it imports statically.
import { continueOnPinnedNode } from '../cli/pinned-node.mjs'

await continueOnPinnedNode()
await import('./suite.ts')
