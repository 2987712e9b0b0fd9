#!/usr/bin/env node
// `npm run bench`: the server's cost compared with its peers. This file and its static imports must parse on Node 20.
import { continueOnPinnedNode } from '../cli/pinned-node.mjs'
// Refuses wrong arguments as it is loaded.
import './arguments.mjs'

await continueOnPinnedNode()
await import('./suite.ts')
