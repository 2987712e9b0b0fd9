import { mkdir } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { ApiError } from '#lib/errors.ts'
import { createOrganisation, joinOrganisation, newLink, seatApprover } from '#server/access/operator.ts'
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
import { listTenants } from '#server/tenants/directory.ts'

/** A command that can't be carried out; the message is for the operator. */
export class CommandError extends Error {}

const usage = `npm run tenant -- create <slug> --admin <email> --approvers <email,email> [--name <name>] [--external-id <id>] [--groups <name,name>]
npm run tenant -- link <slug> <user name or e-mail>
npm run tenant -- join <slug> --person <home slug>/<user name> --roles <role,role>
npm run tenant -- seat <slug> --group <group name> --person <user name or e-mail>
npm run tenant -- rotate-log-key <slug>
npm run tenant -- list`

type Say = (line: string) => void

/**
 * The operator's command, in a process of its own beside a running server or without one. Prints one-time links by `say`
 * and nowhere else. Throws CommandError, ConfigError, EmbeddedDatabaseError.
 */
export async function runTenantCommand(config: Config, args: readonly string[], say: Say): Promise<void> {
  const command = parse(args)
  const close = await open(config, say)
  try {
    await command(say)
  } catch (error) {
    if (error instanceof ApiError) throw new CommandError(error.message)
    throw error
  } finally {
    await close()
  }
}

function parse(args: readonly string[]): (say: Say) => Promise<void> {
  const { values, positionals } = parsed(args)
  const [name, slug, who] = positionals
  const words = (text: string | undefined) =>
    (text ?? '')
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '')
  if (name === 'list' && positionals.length === 1) return listAll
  if (name === 'create' && slug !== undefined && positionals.length === 2 && values.admin !== undefined) {
    const { admin } = values
    return async (say) =>
      createOrganisation(
        {
          slug,
          externalId: values['external-id'] ?? slug,
          displayName: values.name ?? slug.charAt(0).toUpperCase() + slug.slice(1),
          admin,
          approvers: words(values.approvers),
          groups: words(values.groups),
        },
        say,
      )
  }
  if (name === 'link' && slug !== undefined && who !== undefined && positionals.length === 3)
    return (say) => newLink(slug, who, say)
  if (name === 'rotate-log-key' && slug !== undefined && positionals.length === 2) return (say) => rotate(slug, say)
  const { group, person } = values
  if (name === 'seat' && slug !== undefined && group !== undefined && person !== undefined && positionals.length === 2)
    return (say) => seatApprover(slug, group, person, say)
  const [home, username, ...rest] = (values.person ?? '').split('/')
  if (name === 'join' && slug !== undefined && positionals.length === 2 && home && username && rest.length === 0)
    return (say) => joinOrganisation({ slug, home, username, roles: words(values.roles) }, say)
  throw new CommandError(`Use it as one of:\n${usage}`)
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        admin: text,
        approvers: text,
        name: text,
        'external-id': text,
        groups: text,
        group: text,
        person: text,
        roles: text,
      },
    })
  } catch (cause) {
    throw new CommandError(`${cause instanceof Error ? cause.message : 'Unknown arguments.'}\n${usage}`, { cause })
  }
}

async function listAll(say: Say): Promise<void> {
  const tenants = await runtime().database.inDirectory(listTenants)
  if (tenants.length === 0) say('There are no tenants.')
  for (const { slug, externalId, displayName } of tenants) say(`${slug}\t${externalId}\t${displayName}`)
}

async function rotate(slug: string, say: Say): Promise<void> {
  const { database } = runtime()
  const tenant = (await database.inDirectory(listTenants)).find((one) => one.slug === slug)
  if (tenant === undefined) throw new CommandError(`There is no organisation ${slug}.`)
  const key = await database.inTenant(tenant.id, (tx) => rotateLogKey(tx, tenant))
  say(`The audit log of ${slug} is signed with a new key from now on. Whoever watches it needs this verifier key, too:`)
  say(key)
}

/** The same database, keys and addresses as the server's, without what serves. */
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
