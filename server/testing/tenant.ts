import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { permissionsOf } from '#lib/permissions.ts'
import type { Caller, Tenant } from '#server/kernel/auth/principal.ts'
import { bindRows } from '#server/kernel/bound/bind.ts'
import { loadConfig } from '#server/kernel/config.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { openListener } from '#server/kernel/db/listen.ts'
import { newId } from '#server/kernel/ids.ts'
import { createLog } from '#server/kernel/log.ts'
import type { McpServers } from '#server/kernel/mcp-servers.ts'
import { openQueue } from '#server/kernel/queue.ts'
import { type Runtime, setRuntime } from '#server/kernel/runtime.ts'
import { createVault } from '#server/kernel/vault.ts'
import { addGroupMember, createGroup, createMember, createTenant } from '#server/tenants/create-tenant.ts'
import { findGroup } from '#server/tenants/group-store.ts'
import { testDatabase } from './database.ts'

/** Creates a complete runtime with its own database, without HTTP. Close it in afterAll. */
export async function testRuntime(
  options: { mcpServers?: McpServers; environment?: Record<string, string> } = {},
): Promise<Runtime & { close(): Promise<void> }> {
  const source = await testDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-test-'))
  const log = createLog(process.env.TEST_LOG_LEVEL ?? 'silent')
  const config = loadConfig({ DATA_DIR: dataDir, PORT: '3000', LOG_LEVEL: 'silent', ...options.environment })
  const listener = openListener(source.appUrl, log)
  const runtime: Runtime = {
    config,
    log,
    database: openDatabase(source.appUrl, log, { poolSize: 8, own: listener.own }),
    listener,
    queue: await openQueue(source.appUrl, log, listener),
    // A second process on the same database needs the same MASTER_KEY.
    vault: createVault(config.masterKey === undefined ? randomBytes(32) : Buffer.from(config.masterKey, 'base64')),
    mcpServers: options.mcpServers ?? {},
    trustedIssuers: [],
    stopping: new AbortController().signal,
    cut: new AbortController().signal,
  }
  setRuntime(runtime)
  bindRows()
  return {
    ...runtime,
    async close() {
      await runtime.queue.close()
      await runtime.listener.close()
      await runtime.database.close()
      await source.close()
      await rm(dataDir, { recursive: true })
    },
  }
}

export type TestTenant = Tenant & {
  /** Returns a caller with these roles. Created on first use, the same member afterwards. People join the named groups. */
  as(
    username: string,
    options?: { roles?: string[]; kind?: 'person' | 'service_account'; createdBy?: string; groups?: string[] },
  ): Promise<Caller>
}

/** Creates a tenant for the suite in the current runtime. */
export async function testTenant(
  { database }: Pick<Runtime, 'database'>,
  slug = `t-${randomBytes(4).toString('hex')}`,
): Promise<TestTenant> {
  const id = newId()
  const branding = {
    displayName: slug,
    logoUrl: null,
    logoMarkUrl: null,
    logoAlt: slug,
    accentColor: null,
    coBranding: 'none' as const,
    language: null,
  }
  const base = { id, slug, externalId: `ext-${slug}`, name: slug, displayName: slug, branding }
  await database.inTenant(id, (tx) => createTenant(tx, base))
  const tenant: Tenant = { ...base, settings: {} }
  const members = new Map<string, Caller>()
  return {
    ...tenant,
    async as(username, options = {}) {
      const known = members.get(username)
      if (known !== undefined) return known
      const roles = options.roles ?? []
      const kind = options.kind ?? 'person'
      const memberId = await database.inTenant(id, async (tx) => {
        const made = await createMember(tx, tenant, {
          issuer: 'test',
          subject: username,
          kind,
          username,
          displayName: username,
          email: `${username}@${slug}.example`,
          roles,
          ...(options.createdBy === undefined ? {} : { createdBy: options.createdBy }),
        })
        for (const name of options.groups ?? []) {
          const group = await findGroup(tx, id, name)
          await addGroupMember(tx, tenant, group?.id ?? (await createGroup(tx, tenant, name, name)), made)
        }
        return made
      })
      const caller: Caller = {
        tenant,
        requestId: newId(),
        principal: {
          memberId,
          kind,
          issuer: 'test',
          subject: username,
          username,
          displayName: username,
          roles,
          permissions: permissionsOf(roles),
          expiresAt: Date.now() + 3_600_000,
        },
      }
      members.set(username, caller)
      return caller
    },
  }
}
