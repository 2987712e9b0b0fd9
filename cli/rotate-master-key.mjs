#!/usr/bin/env node
// `npm run rotate-master-key`: encrypts everything that the master key protects with a new one. Safe to repeat at any point.
import { existsSync } from 'node:fs'
import { continueOnPinnedNode } from './pinned-node.mjs'

await continueOnPinnedNode()
// Settings may be in .env, as for npm start.
if (existsSync('.env')) process.loadEnvFile('.env')
const { ConfigError, loadConfig } = await import('../server/kernel/config.ts')
const { EmbeddedDatabaseError } = await import('../server/kernel/db/embedded.ts')
const { RotationError, rotateMasterKey } = await import('../server/rotate-master-key.ts')

try {
  const { keys, reencrypted } = await rotateMasterKey(loadConfig(), (line) => process.stdout.write(`${line}\n`))
  process.stdout.write(
    `${keys} keys are encrypted with the current master key; ${reencrypted} of them were re-encrypted now.\n`,
  )
} catch (error) {
  const known = [ConfigError, EmbeddedDatabaseError, RotationError].some((kind) => error instanceof kind)
  process.stderr.write(`${known ? error.message : error.stack}\n`)
  process.exitCode = 1
}
