// Starts what `npm run build` has built, without comparing it with the sources: in an image, where files have other times and nothing
// can be written. This file and its static imports must parse on Node 20.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readArguments } from './arguments/read-arguments.mjs'
import { continueOnPinnedNode } from './pinned-node.mjs'
import { serverMemory } from './server-memory.mjs'

readArguments(`countersign-server start

Starts the server. Settings are in the environment or in .env; .env.example explains each.`)
await continueOnPinnedNode(serverMemory)
if (existsSync('.env')) process.loadEnvFile('.env')
process.env.NODE_ENV ??= 'production'
const server = join(import.meta.dirname, '..', 'dist', 'server.mjs')
if (existsSync(server)) await import(pathToFileURL(server).href)
else {
  process.stderr.write('The server has not been built: npm run build.\n')
  process.exitCode = 1
}
