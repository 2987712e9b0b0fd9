#!/usr/bin/env node
// `npm run demo`: makes a demo tenant with two weeks of work in it, with or without a running server. Exits with 2 for invalid arguments and with 1
// if it fails.
import { existsSync } from 'node:fs'
import { continueOnPinnedNode } from './pinned-node.mjs'

await continueOnPinnedNode()
// Settings may be in .env, as for npm start.
if (existsSync('.env')) process.loadEnvFile('.env')
const { ConfigError, loadConfig } = await import('../server/kernel/config.ts')
const { EmbeddedDatabaseError } = await import('../server/kernel/db/embedded/failure.ts')
const { CommandError, UsageError } = await import('../server/command-line.ts')
const { runDemoCommand } = await import('../server/demo-command.ts')

try {
  await runDemoCommand(loadConfig(), process.argv.slice(2), (line) => process.stdout.write(`${line}\n`))
} catch (error) {
  const known = [UsageError, CommandError, ConfigError, EmbeddedDatabaseError].some((kind) => error instanceof kind)
  process.stderr.write(`${known ? error.message : error.stack}\n`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
