import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { loadMasterKeys } from '#server/kernel/keys/master-key.ts'
import { cipherOf, type TenantCipher, tenantKeyContext } from '#server/kernel/keys/tenant-keys.ts'
import { createVault } from '#server/kernel/vault.ts'
import type { TestApi } from './api.ts'

/** Returns the cipher for the content of a running server's tenant, from its DATA_DIR and its database. */
export const cipherOfApi = (api: TestApi, slug = 'northwind'): Promise<TenantCipher> =>
  storedCipher(api.ownerUrl, join(dirname(api.gate), 'data'), 't.slug = $1', slug)

/** The same of a server with this database and this DATA_DIR, for the tenant with an id. */
export const cipherOfTenant = (ownerUrl: string, dataDir: string, tenantId: string): Promise<TenantCipher> =>
  storedCipher(ownerUrl, dataDir, 't.id = $1', tenantId)

async function storedCipher(ownerUrl: string, dataDir: string, where: string, value: string): Promise<TenantCipher> {
  const masterKey = process.env.MASTER_KEY
  const vault = createVault(...(await loadMasterKeys({ dataDir, masterKey, masterKeyPrevious: undefined })))
  const owner = new Client({ connectionString: ownerUrl })
  await owner.connect()
  try {
    const { rows } = await owner.query<{ tenant_id: string; version: number; sealed_key: Buffer }>(
      `select k.tenant_id, k.version, k.sealed_key from tenant_keys k join tenants t on t.id = k.tenant_id
       where ${where} order by k.version desc`,
      [value],
    )
    const [newest, ...older] = rows.map(({ tenant_id: tenantId, version, sealed_key: encrypted }) => ({
      tenantId,
      version,
      key: vault.decrypt(encrypted, tenantKeyContext(tenantId, version)),
    }))
    if (newest === undefined) throw new Error(`The tenant ${value} does not have a data key.`)
    return cipherOf(newest.tenantId, [newest, ...older])
  } finally {
    await owner.end()
  }
}
