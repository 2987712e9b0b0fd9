// `npm start`. This file and its static imports must parse on Node 20.
import { existsSync } from 'node:fs'
import { continueOnPinnedNode } from './pinned-node.mjs'
import { serverMemory } from './server-memory.mjs'

await continueOnPinnedNode(serverMemory)
// Settings may be in .env (see .env.example); the environment takes precedence.
if (existsSync('.env')) process.loadEnvFile('.env')
process.env.NODE_ENV ??= 'production'
const { buildConsole } = await import('./build-console.mjs')
await buildConsole()
await import('../server/main.ts')
