import type { Config } from '#server/kernel/config.ts'
import { refuseUnfinishedRestore } from '#server/kernel/db/copy/unfinished-restore.ts'
import { CommandError, nameOf, type Say, UsageError } from './command-line.ts'

const usage = `${nameOf('demo')}

Makes a new tenant, marked as a demo, and fills it with two weeks of a company's work. With or without a running server.`

/** Throws UsageError before the settings are read, CommandError, ConfigError, EmbeddedDatabaseError. `share`: less than 1 for a test. */
export async function runDemoCommand(
  settings: () => Config,
  args: readonly string[],
  say: Say,
  share = 1,
): Promise<void> {
  if (args.includes('--help')) return say(usage)
  if (args.length > 0) throw new UsageError(`Unexpected argument ${JSON.stringify(args[0])}.\n${usage}`)
  const config = settings()
  if (config.identity === 'external')
    throw new CommandError(
      'The people of a demo have their accounts in the provider that is built in, and AUTH_URL names another one.',
    )
  await refuseUnfinishedRestore(config.dataDir)
  // Loaded once the command line is valid: it is most of the server.
  const { makeDemo } = await import('./demo-acts.ts')
  await makeDemo(config, share, say)
}
