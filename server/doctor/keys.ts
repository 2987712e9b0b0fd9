import { stat } from 'node:fs/promises'
import type { Client } from 'pg'
import type { Config } from '#server/kernel/config.ts'
import { loadMasterKeys, type MasterKeys, masterKeyFile } from '#server/kernel/keys/master-key.ts'
import { createVault } from '#server/kernel/vault.ts'
import { type Finding, failed, ok, reasonOf, warning } from './findings.ts'

/**
 * The master key, without creating one. With `client`, whether it is the one that encrypted the tenants' keys: a process with another
 * key starts, and can read nothing.
 */
export async function checkKeys(config: Config, client?: Client): Promise<Finding[]> {
  const path = masterKeyFile(config.dataDir)
  const file = await stat(path).catch(() => undefined)
  if (config.masterKey === undefined && file === undefined) return await withoutKey(path, client)
  let keys: MasterKeys
  try {
    keys = await loadMasterKeys(config)
  } catch (error) {
    return [failed('Keys', reasonOf(error), 'Put the file back from a backup.')]
  }
  const found: Finding[] = []
  if (config.masterKey === undefined && file !== undefined && (file.mode & 0o077) !== 0)
    found.push(failed('Keys', `Other accounts of this machine can read ${path}.`, `chmod 600 ${path}`))
  if (config.masterKey !== undefined && file !== undefined)
    found.push(
      warning(
        'Keys',
        `MASTER_KEY is set, so ${path} is not used.`,
        'Delete the file when a backup has been restored with MASTER_KEY.',
      ),
    )
  if (client === undefined) return [...found, ok('Keys', 'a master key exists')]
  const sealed = await firstKeyOfTenants(client)
  if (sealed === undefined) return [...found, ok('Keys', 'a master key exists; no tenant uses it yet')]
  const known = keys.some((key) => createVault(key).isCurrent(sealed))
  return [
    ...found,
    known
      ? ok('Keys', 'the master key is the one that encrypted the tenants’ keys')
      : failed(
          'Keys',
          'The master key is not the one that encrypted the tenants’ keys.',
          'Restore the right key: MASTER_KEY, or master.key in DATA_DIR.',
        ),
  ]
}

async function withoutKey(path: string, client: Client | undefined): Promise<Finding[]> {
  const sealed = client === undefined ? undefined : await firstKeyOfTenants(client)
  return [
    sealed === undefined
      ? ok('Keys', `the first start creates ${path}; it belongs in every backup`)
      : failed(
          'Keys',
          'The database has tenants, but the master key is missing here.',
          `Restore ${path}, or set MASTER_KEY.`,
        ),
  ]
}

/** A private key as it is stored, which names the master key that encrypted it. */
async function firstKeyOfTenants(client: Client): Promise<Buffer | undefined> {
  const { rows: known } = await client.query<{ known: boolean }>(
    `select to_regclass('public.signing_keys') is not null as known`,
  )
  if (known[0]?.known !== true) return undefined
  // Row-level security applies to the owner, too.
  const { rows: tenants } = await client.query<{ id: string }>('select id from tenants order by id limit 1')
  const [tenant] = tenants
  if (tenant === undefined) return undefined
  await client.query(`select set_config('app.tenant_id', $1, false)`, [tenant.id])
  const { rows } = await client.query<{ key: Buffer }>('select private_key as key from signing_keys limit 1')
  await client.query(`select set_config('app.tenant_id', '', false)`)
  return rows[0]?.key
}
