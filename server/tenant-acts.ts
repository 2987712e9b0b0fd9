import { mkdir } from 'node:fs/promises'
import { counted } from '#lib/verify/counted.ts'
import { wordsOf } from '#lib/verify/fingerprint/words.ts'
import { createOrganisation, joinOrganisation, newLink, seatApprover } from '#server/access/operator.ts'
import { acceptLogHead } from '#server/audit/sealing/accept-log-head.ts'
import { rotateLogKey } from '#server/audit/sealing/rotate-log-key.ts'
import { rotateEvidenceKey } from '#server/evidence/rotate-evidence-key.ts'
import { bindRows } from '#server/kernel/bound/bind.ts'
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
import { CommandError, type Say } from './command-line.ts'

export { createOrganisation, joinOrganisation, newLink, seatApprover }

export async function listAll(say: Say): Promise<void> {
  const tenants = await runtime().database.inDirectory(listTenants)
  if (tenants.length === 0) say('No tenants exist yet.')
  for (const { slug, externalId, displayName } of tenants) say(`${slug}\t${externalId}\t${displayName}`)
}

async function tenantNamed(slug: string) {
  const tenant = (await runtime().database.inDirectory(listTenants)).find((one) => one.slug === slug)
  if (tenant === undefined) throw new CommandError(`The tenant ${slug} does not exist.`)
  return tenant
}

export async function accept(slug: string, say: Say): Promise<void> {
  const tenant = await tenantNamed(slug)
  const { database } = runtime()
  const { seals, sealedThrough, days, unkeyed } = await database.inTenant(tenant.id, (tx) => acceptLogHead(tx, tenant))
  say(`The signer of ${slug} continues from these heads, which the audit log records as audit_log.head_accepted:`)
  say(`closed days: ${seals.size}${sealedThrough === null ? '' : `, through ${sealedThrough}`}, root ${seals.root}`)
  for (const [date, { size, root }] of Object.entries(days))
    say(`${date}: ${counted(size, 'record', 'records')}, root ${root}`)
  if (unkeyed > 0)
    say(
      `${counted(unkeyed, 'record that is not signed yet lacks a mac: compare it', 'records that are not signed yet lack a mac: compare them')} with what you expect.`,
    )
}

export async function rotate(slug: string, say: Say): Promise<void> {
  const { database } = runtime()
  const tenant = await tenantNamed(slug)
  const key = await database.inTenant(tenant.id, (tx) => rotateLogKey(tx, tenant))
  say(`The audit log of ${slug} is now signed with a new key. Anyone who monitors it also needs this verifier key:`)
  say(key)
}

export async function rotateEvidence(slug: string, say: Say): Promise<void> {
  const { database } = runtime()
  const tenant = await tenantNamed(slug)
  const fingerprint = await database.inTenant(tenant.id, (tx) => rotateEvidenceKey(tx, tenant))
  say(`Archives of ${slug} are now sealed with a new key, which the one before it signed. Its fingerprint:`)
  say(fingerprint)
  say(wordsOf(fingerprint.replace('sha256:', '')).join(' '))
}

/** `ownerUrl`: the address of the database for its owner. */
export type Installation = { ownerUrl: string; close(): Promise<void> }

/** The same database, keys and addresses as the server's, without serving. */
export async function openInstallation(config: Config, say: Say, connections = 2): Promise<Installation> {
  const log = createLog(config.logLevel)
  const closing: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const step of closing.splice(0).reverse()) await step()
  }
  try {
    const ownerUrl = config.databaseUrl ?? (await openEmbedded())
    await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
    const masterKeys = await loadMasterKeys(config)
    const url = await migrate(ownerUrl, masterKeys[0], (wait) => log.warn(wait, 'a migration waits for locks'))
    const vault = createVault(...masterKeys)
    const listener = openListener(url, log)
    const database = openDatabase(url, log, { poolSize: connections, own: listener.own })
    closing.push(() => database.close())
    closing.push(() => listener.close())
    const queue = await openQueue(url, log, listener)
    closing.push(() => queue.close())
    setRuntime({ config, log, database, listener, queue, vault, mcpServers: {}, trustedIssuers: [] })
    bindRows()
    return { ownerUrl, close }
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
