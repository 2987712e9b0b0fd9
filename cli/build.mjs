// `npm run build`. This file and its static imports must parse on Node 20.
import { readArguments } from './arguments/read-arguments.mjs'
import { continueOnPinnedNode } from './pinned-node.mjs'

readArguments(`npm run build

Builds the console, the server and the command line.`)
await continueOnPinnedNode()
const { buildConsole } = await import('./build-console.mjs')
await buildConsole()
const { buildServer } = await import('./build-server.mjs')
await buildServer()
const { buildCommandLine } = await import('./build-command-line.mjs')
await buildCommandLine()
process.stdout.write('The console, the server and the command line have been built.\n')
