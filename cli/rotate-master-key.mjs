#!/usr/bin/env node
// `npm run rotate-master-key`: encrypts everything under the master key with a new one. Safe to run again at any point.
import { existsSync } from 'node:fs'
import { continueOnPinnedNode } from './pinned-node.mjs'

await continueOnPinnedNode()
// Settings can be in .env, as for npm start.
if (existsSync('.env')) process.loadEnvFile('.env')
const { ConfigError, loadConfig } = await import('../server/kernel/config.ts')
const { EmbeddedDatabaseError } = await import('../server/kernel/db/embedded.ts')
const { RotationError, rotateMasterKey } = await import('../server/rotate-master-key.ts')

try {
  const { keys, reencrypted } = await rotateMasterKey(loadConfig(), (line) => process.stdout.write(`${line}\n`))
  process.stdout.write(
    `${keys} keys are encrypted under the current master key; this run re-encrypted ${reencrypted} of them.\n`,
  )
} catch (error) {
  const known = [ConfigError, EmbeddedDatabaseError, RotationError].some((kind) => error instanceof kind)
  process.stderr.write(`${known ? error.message : error.stack}\n`)
  process.exitCode = 1
}
