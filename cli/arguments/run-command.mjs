import { existsSync } from 'node:fs'
import { continueOnPinnedNode } from '../pinned-node.mjs'

/**
 * Runs a command of the operator: the function that `load` imports, with the settings, which it reads only once the command line is
 * valid. Exits with 2 for invalid arguments and with 1 if it fails.
 */
export async function runCommand(load) {
  await continueOnPinnedNode()
  const { ConfigError, loadConfig } = await import('../../server/kernel/config.ts')
  const { EmbeddedDatabaseError } = await import('../../server/kernel/db/embedded/failure.ts')
  const { CommandError, UsageError } = await import('../../server/command-line.ts')
  const run = await load()
  const settings = () => {
    // Settings may be in .env, as for npm start.
    if (existsSync('.env')) process.loadEnvFile('.env')
    return loadConfig()
  }
  try {
    await run(settings, process.argv.slice(2), (line) => process.stdout.write(`${line}\n`))
  } catch (error) {
    const known = [UsageError, CommandError, ConfigError, EmbeddedDatabaseError].some((kind) => error instanceof kind)
    process.stderr.write(`${known ? error.message : error.stack}\n`)
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
}
