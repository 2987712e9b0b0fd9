import { parseArgs } from 'node:util'
import { argumentError } from '#lib/text/argument-error.mjs'
import type { Config } from '#server/kernel/config.ts'
import { nameOf, programOf, type Say, UsageError } from './command-line.ts'

const backupUsage = `${programOf('backup')} <file> (--recipient <age1…> … | --unencrypted)`
const restoreUsage = `${programOf('restore')} <file> [--identity <file>]`

/** Throws UsageError before the settings are read, CommandError, ConfigError, EmbeddedDatabaseError. */
export async function runBackupCommand(settings: () => Config, args: readonly string[], say: Say): Promise<void> {
  if (args.includes('--help')) return say(backupUsage)
  const { values, file } = readArguments(args, backupUsage)
  const recipients = values.recipient ?? []
  if (recipients.length === 0 && values.unencrypted !== true)
    throw new UsageError(
      `A backup contains keys and personal data. Name an age recipient with --recipient, or pass --unencrypted.\n${backupUsage}`,
    )
  if (recipients.length > 0 && values.unencrypted === true)
    throw new UsageError(`--recipient and --unencrypted exclude each other.\n${backupUsage}`)
  if (values.identity !== undefined) throw new UsageError(`--identity belongs to ${nameOf('restore')}.\n${backupUsage}`)
  const config = settings()
  const { makeBackup } = await import('./backup/make-backup.ts')
  await makeBackup(config, { file, recipients }, say)
  if (recipients.length === 0)
    say('Warning: the backup is not encrypted. Anyone who can read it has the keys and the data of all tenants.')
  if (config.masterKey !== undefined)
    say('MASTER_KEY is not in the backup, which can’t be restored without it. Store it separately.')
  if (config.exportStore !== undefined) say('Archives in EXPORT_STORE are not in the backup.')
}

/** Throws UsageError before the settings are read, CommandError, ConfigError, EmbeddedDatabaseError. */
export async function runRestoreCommand(settings: () => Config, args: readonly string[], say: Say): Promise<void> {
  if (args.includes('--help')) return say(restoreUsage)
  const { values, file } = readArguments(args, restoreUsage)
  if (values.recipient !== undefined || values.unencrypted === true)
    throw new UsageError(`--recipient and --unencrypted belong to ${nameOf('backup')}.\n${restoreUsage}`)
  const { restoreBackup } = await import('./backup/restore.ts')
  await restoreBackup(settings(), { file, identity: values.identity }, say)
  say('Restored. Witnesses, monitors and anyone who follows the logs need their new keys (docs/operations.md).')
}

function readArguments(args: readonly string[], usage: string) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        recipient: { type: 'string', multiple: true },
        identity: { type: 'string' },
        unencrypted: { type: 'boolean' },
      },
    })
    const [file, ...others] = positionals
    if (file === undefined || file === '' || others.length > 0) throw new UsageError(`Name one file.\n${usage}`)
    return { values, file }
  } catch (error) {
    const problem = argumentError(error)
    throw problem === undefined ? error : new UsageError(`${problem}\n${usage}`)
  }
}
