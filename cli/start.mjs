// `npm start`. This file and its static imports must parse on Node 20.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { readArguments } from './arguments/read-arguments.mjs'
import { continueOnPinnedNode } from './pinned-node.mjs'
import { serverMemory } from './server-memory.mjs'

readArguments(`npm start

Builds what has changed and starts the server. Settings are in the environment or in .env; .env.example explains each.`)
await continueOnPinnedNode(serverMemory)
// Settings may be in .env (see .env.example); the environment takes precedence.
if (existsSync('.env')) process.loadEnvFile('.env')
process.env.NODE_ENV ??= 'production'
// What the last start compiled and stripped of its types. Without it a start takes twice the CPU time.
module.enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled'))
const { buildConsole } = await import('./build-console.mjs')
await buildConsole()
const { buildServer } = await import('./build-server.mjs')
const server = await buildServer()
const { buildCommandLine } = await import('./build-command-line.mjs')
await buildCommandLine()
await import(server.href)
