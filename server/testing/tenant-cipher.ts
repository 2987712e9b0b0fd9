import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { loadMasterKeys } from '#server/kernel/keys/master-key.ts'
import { cipherOf, type TenantCipher, tenantKeyContext } from '#server/kernel/keys/tenant-keys.ts'
import { createVault } from '#server/kernel/vault.ts'
import type { TestApi } from './api.ts'

/** Returns the cipher for the content of a running server's tenant, from its DATA_DIR and its database. */
export async function cipherOfApi(api: TestApi, slug = 'northwind'): Promise<TenantCipher> {
  const keys = { dataDir: join(dirname(api.gate), 'data'), masterKey: undefined, masterKeyPrevious: undefined }
  const vault = createVault(...(await loadMasterKeys(keys)))
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  try {
    const { rows } = await owner.query<{ tenant_id: string; version: number; sealed_key: Buffer }>(
      `select k.tenant_id, k.version, k.sealed_key from tenant_keys k join tenants t on t.id = k.tenant_id
       where t.slug = $1 order by k.version desc`,
      [slug],
    )
    const [newest, ...older] = rows.map(({ tenant_id: tenantId, version, sealed_key: encrypted }) => ({
      tenantId,
      version,
      key: vault.decrypt(encrypted, tenantKeyContext(tenantId, version)),
    }))
    if (newest === undefined) throw new Error(`${slug} does not have a data key.`)
    return cipherOf(newest.tenantId, [newest, ...older])
  } finally {
    await owner.end()
  }
}
