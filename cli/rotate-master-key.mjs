#!/usr/bin/env node
// `npm run rotate-master-key`: encrypts everything that the master key protects with a new one. Safe to repeat at any point. Exits
// with 2 for arguments, before anything is opened, and with 1 if it fails.
import { existsSync } from 'node:fs'
import { readArguments } from './arguments/read-arguments.mjs'
import { continueOnPinnedNode } from './pinned-node.mjs'

await continueOnPinnedNode()
const { nameOf } = await import('../server/command-line.ts')
readArguments(`${nameOf('rotate-master-key')}

Encrypts everything that the master key protects with a new one: with that in MASTER_KEY, else with one that it creates in DATA_DIR, for
which the server must not run. Run it again after an interruption.`)
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
