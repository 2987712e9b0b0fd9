import type { Client } from 'pg'
import { counted } from '#lib/verify/counted.ts'
import { type Config, ConfigError, loadConfig } from '#server/kernel/config.ts'
import { nameOf, type Say, UsageError } from './command-line.ts'
import { checkAddress } from './doctor/address.ts'
import { checkClock, checkDatabase, withOwner } from './doctor/database.ts'
import { type Finding, failed, lineOf, ok } from './doctor/findings.ts'
import { checkFolders } from './doctor/folders.ts'
import { checkKeys } from './doctor/keys.ts'
import { checkMail } from './doctor/mail.ts'
import { checkProvider, type Machine } from './doctor/provider.ts'
import { checkSettings } from './doctor/settings.ts'
import { checkSiem } from './doctor/siem.ts'
import { checkStores } from './doctor/stores.ts'

const usage = nameOf('doctor')

/**
 * Checks an installation, running or not, with the settings in `environment`, and prints a line for each finding. Changes nothing.
 * Returns whether nothing would fail. With COUNTERSIGN_TENANT, COUNTERSIGN_CLIENT_ID and COUNTERSIGN_CLIENT_SECRET it also requests
 * a token. Throws UsageError.
 */
export async function runDoctorCommand(
  environment: Record<string, string | undefined>,
  args: readonly string[],
  say: Say,
): Promise<boolean> {
  if (args.includes('--help')) {
    say(usage)
    return true
  }
  if (args.length > 0)
    throw new UsageError(`This command takes no arguments: the settings say what to check.\n${usage}`)
  const config = configIn(environment)
  const found = 'failures' in config ? config.failures : await check(config, machineIn(environment))
  for (const finding of found) say(lineOf(finding))
  const count = (level: Finding['level']) => found.filter((finding) => finding.level === level).length
  say(`${count('failed')} failed, ${counted(count('warning'), 'warning', 'warnings')}, ${count('ok')} fine.`)
  return count('failed') === 0
}

function configIn(environment: Record<string, string | undefined>): Config | { failures: Finding[] } {
  try {
    return loadConfig(environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const advice = 'Correct the setting (.env.example explains each); the server does not start.'
    return { failures: error.message.split('\n').map((line) => failed('Settings', line, advice)) }
  }
}

function machineIn(environment: Record<string, string | undefined>): Machine | undefined {
  const { COUNTERSIGN_TENANT: slug, COUNTERSIGN_CLIENT_ID: clientId, COUNTERSIGN_CLIENT_SECRET: secret } = environment
  return slug === undefined || clientId === undefined || secret === undefined ? undefined : { slug, clientId, secret }
}

async function check(config: Config, machine: Machine | undefined): Promise<Finding[]> {
  const connected = async (client?: Client) => [
    ...(await checkKeys(config, client)),
    ...(await checkProvider(config, client, machine)),
    ...(await checkSiem(config, client)),
  ]
  return [
    ...(await checkSettings(config)),
    ...(await checkFolders(config)),
    ...(config.databaseUrl === undefined
      ? [ok('Database', 'the embedded PostgreSQL, which the server sets up'), ...(await connected())]
      : await withOwner(config.databaseUrl, async (client) => [
          ...(await checkDatabase(client)),
          ...(await checkClock(client)),
          ...(await connected(client)),
        ])),
    ...(await checkStores(config)),
    ...(await checkMail(config)),
    ...(await checkAddress(config)),
  ]
}
