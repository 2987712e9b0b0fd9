import type { Client } from 'pg'
import { counted } from '#lib/verify/counted.ts'
import { type Config, ConfigError, loadConfig } from '#server/kernel/config.ts'
import { findEmbeddedDatabase } from '#server/kernel/db/embedded.ts'
import { connectOwner } from '#server/kernel/db/migrate.ts'
import { nameOf, type Say, UsageError } from './command-line.ts'
import { checkAddress, type Database } from './doctor/address.ts'
import { checkAlarms } from './doctor/alarms.ts'
import { checkClock, checkDatabase, identityOf, withOwner } from './doctor/database.ts'
import { checkDeliveries } from './doctor/deliveries.ts'
import { type Finding, failed, lineOf, ok, reasonOf, warning } from './doctor/findings.ts'
import { checkFolders } from './doctor/folders.ts'
import { inTime } from './doctor/in-time.ts'
import { checkKeys } from './doctor/keys.ts'
import { checkMail } from './doctor/mail.ts'
import { checkProvider } from './doctor/provider.ts'
import { checkSettings } from './doctor/settings.ts'
import { checkSiem } from './doctor/siem.ts'
import { checkStores } from './doctor/stores.ts'
import { type DoctorTenants, listTenants } from './doctor/tenants.ts'
import type { Machine } from './doctor/token.ts'

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
  const levels: Finding['level'][] = []
  // Each line when it is known: a later check may take long.
  for await (const finding of 'failures' in config ? config.failures : check(config, machineIn(environment))) {
    say(lineOf(finding))
    levels.push(finding.level)
  }
  const count = (level: Finding['level']) => levels.filter((one) => one === level).length
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

/** What the checks of the database learn for those after them. */
type Learned = { tenants: DoctorTenants; database: Database }

async function* check(config: Config, machine: Machine | undefined): AsyncGenerator<Finding> {
  const learned: Learned = { tenants: undefined, database: undefined }
  yield* inTime('Settings', checkSettings(config))
  yield* inTime('Folders', checkFolders(config))
  yield* inTime(
    'Database',
    config.databaseUrl === undefined ? checkEmbedded(config, learned) : checkOwn(config, config.databaseUrl, learned),
  )
  yield* inTime('Provider', checkProvider(config, learned.tenants, machine))
  yield* inTime('SIEM', checkSiem(config, learned.tenants))
  yield* inTime('Stores', checkStores(config))
  yield* inTime('Mail', checkMail(config))
  yield* inTime('Address', checkAddress(config, learned.database))
}

/** The database at DATABASE_URL. */
const checkOwn = (config: Config, ownerUrl: string, learned: Learned): Promise<Finding[]> =>
  withOwner(ownerUrl, async (client) => {
    const findings = [
      ...(await checkDatabase(client)),
      ...(await checkClock(client)),
      ...(await checkKeys(config, client)),
      ...(await checkAlarms(client)),
      ...(await checkDeliveries(client)),
    ]
    learned.tenants = await listTenants(client)
    const identity = await identityOf(client)
    learned.database = identity === undefined ? undefined : { identity }
    return findings
  })

/** The embedded database is read while the server runs. This command does not start it, because it changes nothing. */
async function checkEmbedded(config: Config, learned: Learned): Promise<Finding[]> {
  let client: Client | undefined
  try {
    const embedded = await findEmbeddedDatabase(config.dataDir)
    client = embedded?.ownerUrl === undefined ? undefined : await connectOwner(embedded.ownerUrl)
    learned.tenants = embedded === undefined ? [] : client && (await listTenants(client))
    const identity = client && (await identityOf(client))
    learned.database = client === undefined ? 'stopped' : identity === undefined ? undefined : { identity }
    const state = embedded === undefined ? 'which the server sets up' : `which is ${client ? '' : 'not '}running`
    const work = client === undefined ? [] : [...(await checkAlarms(client)), ...(await checkDeliveries(client))]
    return [ok('Database', `the embedded PostgreSQL, ${state}`), ...(await checkKeys(config, client)), ...work]
  } catch (error) {
    const unread = warning(
      'Database',
      `the embedded PostgreSQL could not be read (${reasonOf(error)}).`,
      'Run this command as the account that runs the server, once the server is ready.',
    )
    return [unread, ...(await checkKeys(config))]
  } finally {
    await client?.end()
  }
}
