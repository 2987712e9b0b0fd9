#!/usr/bin/env node
// `npm run doctor`: checks settings, folders, keys, database, clock, identity provider, mail and address of an installation, and changes
// nothing. Exits with 1 if something would fail, and with 2 for invalid arguments.
import { existsSync } from 'node:fs'
import { exitAfterOutput } from './exit-after-output.mjs'
import { continueOnPinnedNode } from './pinned-node.mjs'

await continueOnPinnedNode()
// Settings may be in .env, as for npm start.
if (existsSync('.env')) process.loadEnvFile('.env')
const { UsageError } = await import('../server/command-line.ts')
const { runDoctorCommand } = await import('../server/doctor-command.ts')

try {
  const fine = await runDoctorCommand(process.env, process.argv.slice(2), (line) => process.stdout.write(`${line}\n`))
  // A check that was left may still have a connection open.
  await exitAfterOutput(fine ? 0 : 1)
} catch (error) {
  process.stderr.write(`${error instanceof UsageError ? error.message : error.stack}\n`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
