// `npm start`. Must parse on Node 20, as all that it imports statically.
import { existsSync } from 'node:fs'
import { continueOnPinnedNode } from './pinned-node.mjs'
import { serverMemory } from './server-memory.mjs'

await continueOnPinnedNode(serverMemory)
// Settings may stand in .env (see .env.example); the environment wins.
if (existsSync('.env')) process.loadEnvFile('.env')
process.env.NODE_ENV ??= 'production'
const { buildConsole } = await import('./build-console.mjs')
await buildConsole()
await import('../server/main.ts')
