import { mkdir } from 'node:fs/promises'
import { ApiError } from '#lib/errors.ts'
import { createOrganisation, joinOrganisation, newLink, seatApprover } from '#server/access/operator.ts'
import { acceptLogHead } from '#server/audit/sealing/accept-log-head.ts'
import { LogRefused } from '#server/audit/sealing/log-refused.ts'
import { rotateLogKey } from '#server/audit/sealing/rotate-log-key.ts'
import type { Config } from '#server/kernel/config.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { openEmbeddedDatabase } from '#server/kernel/db/embedded.ts'
import { openListener } from '#server/kernel/db/listen.ts'
import { migrate } from '#server/kernel/db/migrate.ts'
import { loadMasterKeys } from '#server/kernel/keys/master-key.ts'
import { createLog } from '#server/kernel/log.ts'
import { openQueue } from '#server/kernel/queue.ts'
import { runtime, setRuntime } from '#server/kernel/runtime.ts'
import { createVault } from '#server/kernel/vault.ts'
import { listTenants } from '#server/tenants/store.ts'
import { command, readCommand, type Say, UsageError, usageOf } from './command-line.ts'

/** A command that can't be carried out; the message is for the operator. */
export class CommandError extends Error {}

const program = 'npm run tenant --'

/** The operator's commands, from which the usage text is generated. */
const commands = [
  command({
    name: 'create',
    words: { slug: 'slug' },
    required: { admin: 'email', approvers: 'email,email' },
    optional: { name: 'name', 'external-id': 'id', groups: 'name,name' },
    plan({ slug, name, admin, 'external-id': externalId = slug, ...given }) {
      const displayName = name ?? slug.charAt(0).toUpperCase() + slug.slice(1)
      const [approvers, groups] = [namesIn(given.approvers), namesIn(given.groups)]
      return (say) => createOrganisation({ slug, externalId, displayName, admin, approvers, groups }, say)
    },
  }),
  command({
    name: 'link',
    words: { slug: 'slug', who: 'user name or e-mail' },
    plan:
      ({ slug, who }) =>
      (say) =>
        newLink(slug, who, say),
  }),
  command({
    name: 'join',
    words: { slug: 'slug' },
    required: { person: 'home slug/user name', roles: 'role,role' },
    plan({ slug, person, roles }) {
      const guest = { slug, ...homeOf(person), roles: namesIn(roles) }
      return (say) => joinOrganisation(guest, say)
    },
  }),
  command({
    name: 'seat',
    words: { slug: 'slug' },
    required: { group: 'group name', person: 'user name or e-mail' },
    plan:
      ({ slug, group, person }) =>
      (say) =>
        seatApprover(slug, group, person, say),
  }),
  command({
    name: 'rotate-log-key',
    words: { slug: 'slug' },
    plan:
      ({ slug }) =>
      (say) =>
        rotate(slug, say),
  }),
  command({
    name: 'accept-log-head',
    words: { slug: 'slug' },
    plan:
      ({ slug }) =>
      (say) =>
        accept(slug, say),
  }),
  command({ name: 'list', plan: () => listAll }),
]

/**
 * The operator's command, in a separate process, with or without a running server. One-time links are printed only
 * through `say`. Throws UsageError before anything is opened, CommandError, ConfigError, EmbeddedDatabaseError.
 */
export async function runTenantCommand(config: Config, args: readonly string[], say: Say): Promise<void> {
  if (args.includes('--help')) return say(usageOf(program, commands))
  const act = readCommand(program, commands, args)
  const close = await open(config, say)
  try {
    await act(say)
  } catch (error) {
    if (error instanceof ApiError || error instanceof LogRefused) throw new CommandError(error.message)
    throw error
  } finally {
    await close()
  }
}

/** The names in a comma-separated list. */
const namesIn = (list = ''): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** "acme/bo": the tenant that the account belongs to, and the user name there. */
function homeOf(person: string): { home: string; username: string } {
  const [home, username, ...rest] = person.split('/')
  if (!home || !username || rest.length > 0)
    throw new UsageError(`--person ${JSON.stringify(person)} must be <home slug>/<user name>.`)
  return { home, username }
}

async function listAll(say: Say): Promise<void> {
  const tenants = await runtime().database.inDirectory(listTenants)
  if (tenants.length === 0) say('No tenants exist yet.')
  for (const { slug, externalId, displayName } of tenants) say(`${slug}\t${externalId}\t${displayName}`)
}

async function tenantNamed(slug: string) {
  const tenant = (await runtime().database.inDirectory(listTenants)).find((one) => one.slug === slug)
  if (tenant === undefined) throw new CommandError(`The tenant ${slug} does not exist.`)
  return tenant
}

async function accept(slug: string, say: Say): Promise<void> {
  const tenant = await tenantNamed(slug)
  const { database } = runtime()
  const { seals, sealedThrough, days, unkeyed } = await database.inTenant(tenant.id, (tx) => acceptLogHead(tx, tenant))
  say(`The signer of ${slug} continues from these heads, which the audit log records as audit_log.head_accepted:`)
  say(`closed days: ${seals.size}${sealedThrough === null ? '' : `, through ${sealedThrough}`}, root ${seals.root}`)
  for (const [date, { size, root }] of Object.entries(days)) say(`${date}: ${size} records, root ${root}`)
  if (unkeyed > 0) say(`${unkeyed} records that are not signed yet lack a mac: compare them with what you expect.`)
}

async function rotate(slug: string, say: Say): Promise<void> {
  const { database } = runtime()
  const tenant = await tenantNamed(slug)
  const key = await database.inTenant(tenant.id, (tx) => rotateLogKey(tx, tenant))
  say(`The audit log of ${slug} is now signed with a new key. Anyone who monitors it also needs this verifier key:`)
  say(key)
}

/** The same database, keys and addresses as the server's, without serving. */
async function open(config: Config, say: Say): Promise<() => Promise<void>> {
  const log = createLog(config.logLevel)
  const closing: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const step of closing.splice(0).reverse()) await step()
  }
  try {
    const ownerUrl = config.databaseUrl ?? (await openEmbedded())
    await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
    const masterKeys = await loadMasterKeys(config)
    const url = await migrate(ownerUrl, masterKeys[0])
    const vault = createVault(...masterKeys)
    const database = openDatabase(url, log, 2)
    closing.push(() => database.close())
    const listener = openListener(url, log)
    closing.push(() => listener.close())
    const queue = await openQueue(url, log)
    closing.push(() => queue.close())
    setRuntime({ config, log, database, listener, queue, vault, mcpServers: {}, trustedIssuers: [] })
    return close
  } catch (error) {
    await close()
    throw error
  }

  async function openEmbedded(): Promise<string> {
    const embedded = await openEmbeddedDatabase({ dataDir: config.dataDir, say })
    closing.push(() => embedded.release())
    return embedded.ownerUrl
  }
}
