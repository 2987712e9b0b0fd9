import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '#server/kernel/config.ts'
import { type Database, openDatabase } from '#server/kernel/db/database.ts'
import { migrate } from '#server/kernel/db/migrate.ts'
import { newId } from '#server/kernel/ids.ts'
import { loadMasterKeys, masterKeyFile } from '#server/kernel/keys/master-key.ts'
import { createSigningKey, currentSigningKey } from '#server/kernel/keys/signing-keys.ts'
import { decryptForTenant, encryptForTenant } from '#server/kernel/keys/tenant-keys.ts'
import { createLog } from '#server/kernel/log.ts'
import { type Runtime, setRuntime } from '#server/kernel/runtime.ts'
import { createVault } from '#server/kernel/vault.ts'
import { type TestDatabase, testDatabase } from '#server/testing/database.ts'
import { testEnvironment } from '#server/testing/processes/environment.ts'
import { until } from '#server/testing/until.ts'
import { rotateMasterKey } from './rotate-master-key.ts'

// Everything that is encrypted under the master key survives its rotation, at any point of interruption.

const value = Buffer.from('sk-live-0123456789')
const log = createLog('silent')

let source: TestDatabase
let appUrl: string
let dataDir: string
let tenants: string[]
let encrypted: Map<string, Buffer>
let owner: Client
beforeEach(async () => {
  source = await testDatabase()
  // The role that a server uses on this database; the role in the template is shared by all suites.
  appUrl = await migrate(source.ownerUrl)
  dataDir = await mkdtemp(join(tmpdir(), 'countersign-rotation-'))
  owner = new Client({ connectionString: source.ownerUrl })
  await owner.connect()
  tenants = [newId(), newId()]
  encrypted = new Map()
  await running(configOf(), async (database) => {
    for (const id of tenants) {
      await owner.query(
        `insert into tenants (id, slug, external_id, name, display_name, branding) values ($1, $2, $2, 'x', 'x', '{}')`,
        [id, `t-${id.slice(-8)}`],
      )
      await database.inTenant(id, async (tx) => {
        await createSigningKey(tx, id, 'realm')
        await createSigningKey(tx, id, 'log')
        encrypted.set(id, await encryptForTenant(tx, id, value, 'secrets/1'))
      })
    }
  })
})
afterEach(async () => {
  await owner.end()
  await source.close()
  await rm(dataDir, { recursive: true })
})

const configOf = (settings: Record<string, string> = {}) =>
  loadConfig({ DATABASE_URL: source.ownerUrl, DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...settings })

/** Runs `work` with the keys that a server would load now. */
async function running<T>(config: Runtime['config'], work: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase(appUrl, log, { poolSize: 2 })
  const vault = createVault(...(await loadMasterKeys(config)))
  setRuntime({ config, log, database, vault } as Runtime)
  try {
    return await work(database)
  } finally {
    await database.close()
    await until(connectionsGone, 'the server’s connections were closed')
  }
}

const connectionsGone = async () => {
  const { rowCount } = await owner.query('select 1 from pg_stat_activity where usename = $1', [
    new URL(appUrl).username,
  ])
  return rowCount === 0 ? true : undefined
}

/** Whether everything can be decrypted with the keys of `config`. */
const allOpens = (config = configOf()) =>
  running(config, async (database) => {
    for (const id of tenants)
      await database.inTenant(id, async (tx) => {
        for (const purpose of ['realm', 'log'] as const) await currentSigningKey(tx, id, purpose)
        const opened = await decryptForTenant(tx, id, encrypted.get(id) ?? Buffer.of(), 'secrets/1')
        if (!opened.equals(value)) throw new Error('another value')
      })
    return true
  })
const rotate = (config = configOf()) => rotateMasterKey(config, () => undefined)
const keyLines = async () => (await readFile(masterKeyFile(dataDir), 'utf8')).trim().split('\n')
const setKeyLines = (lines: string[]) => writeFile(masterKeyFile(dataDir), `${lines.join('\n')}\n`)
const encryptedKeys = async () =>
  (
    await owner.query(
      `select private_key as bytes from signing_keys union all select sealed_key from tenant_keys order by 1`,
    )
  ).rows.map((row) => row.bytes.toString('hex'))

describe('with the key in DATA_DIR', () => {
  test('everything is encrypted again under a new key, the values stay, and the old key decrypts nothing', async () => {
    const [before = ''] = await keyLines()
    const bytes = await encryptedKeys()
    expect(await rotate()).toEqual({ keys: 6, reencrypted: 6 })
    const after = await keyLines()
    expect(after).toHaveLength(1)
    expect(after[0]).not.toBe(before)
    expect((await stat(masterKeyFile(dataDir))).mode & 0o777).toBe(0o600)
    const now = await encryptedKeys()
    expect(now.filter((one) => bytes.includes(one))).toEqual([])
    expect(await allOpens()).toBe(true)
    await setKeyLines([before])
    await expect(allOpens()).rejects.toThrow(/not the one that encrypted it/)
  })

  test('interrupted before the database changed, it continues with the new key that it had created', async () => {
    const [before = ''] = await keyLines()
    const made = randomBytes(32).toString('base64')
    await setKeyLines([made, before])
    // A server that starts in this state can decrypt everything.
    expect(await allOpens()).toBe(true)
    expect(await rotate()).toEqual({ keys: 6, reencrypted: 6 })
    expect(await keyLines()).toEqual([made])
    expect(await allOpens()).toBe(true)
  })

  test('interrupted after the database changed, it only deletes the old key', async () => {
    const [before = ''] = await keyLines()
    await rotate()
    const [made = ''] = await keyLines()
    await setKeyLines([made, before])
    expect(await allOpens()).toBe(true)
    expect(await rotate()).toEqual({ keys: 6, reencrypted: 0 })
    expect(await keyLines()).toEqual([made])
  })

  test('a value that can’t be decrypted undoes the rotation, and both keys stay', async () => {
    const [before = ''] = await keyLines()
    const bytes = await encryptedKeys()
    const last = tenants.toSorted().at(-1)
    const { rows } = await owner.query(
      `select private_key from signing_keys where tenant_id = $1 and purpose = 'realm'`,
      [last],
    )
    const set = (key: Buffer) =>
      owner.query(`update signing_keys set private_key = $2 where tenant_id = $1 and purpose = 'realm'`, [last, key])
    await set(Buffer.from('no key at all'))
    await expect(rotate()).rejects.toThrow(/unknown format/)
    expect((await keyLines())[1]).toBe(before)
    await set(rows[0].private_key)
    expect(await encryptedKeys()).toEqual(bytes)
    expect(await allOpens()).toBe(true)
    expect(await rotate()).toEqual({ keys: 6, reencrypted: 6 })
  })

  test('is refused while a server is running, before anything changes', async () => {
    const before = await keyLines()
    await running(configOf(), async (database) => {
      await database.inDirectory(async () => {
        await expect(rotate()).rejects.toThrow('A server is running on this database. Stop it')
      })
    })
    expect(await keyLines()).toEqual(before)
    expect(await allOpens()).toBe(true)
  })
})

describe('with MASTER_KEY', () => {
  test('the operator’s new key takes over while servers run with both, and the old one can be removed afterwards', async () => {
    const [before = ''] = await keyLines()
    const next = randomBytes(32).toString('base64')
    const both = configOf({ MASTER_KEY: next, MASTER_KEY_PREVIOUS: before })
    const alone = configOf({ MASTER_KEY: next })
    expect(await allOpens(both)).toBe(true)
    await expect(allOpens(alone)).rejects.toThrow(/not the one that encrypted it/)
    await expect(rotate(alone)).rejects.toThrow(/not the one that encrypted it/)
    await running(both, (database) =>
      database.inDirectory(async () => expect(await rotate(both)).toEqual({ keys: 6, reencrypted: 6 })),
    )
    expect(await allOpens(alone)).toBe(true)
    expect(await rotate(alone)).toEqual({ keys: 6, reencrypted: 0 })
  })
})

describe('npm run rotate-master-key', () => {
  const run = async (settings: Record<string, string> = {}) => {
    const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, '../cli/rotate-master-key.mjs')], {
      cwd: dataDir,
      env: {
        ...testEnvironment,
        DATABASE_URL: source.ownerUrl,
        DATA_DIR: dataDir,
        ...settings,
      },
    })
    const said: string[] = []
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => said.push(String(chunk)))
    const [code] = await once(child, 'close')
    return { code, said: said.join('') }
  }

  test('reports how many keys it has re-encrypted', async () => {
    expect(await run()).toEqual({
      code: 0,
      said: '6 keys are encrypted with the current master key; 6 of them were re-encrypted now.\n',
    })
    expect(await allOpens()).toBe(true)
  })

  test('reports a problem in one line, without any key', async () => {
    const bad = randomBytes(31).toString('base64')
    const wrong = await run({ MASTER_KEY: bad })
    expect(wrong).toEqual({ code: 1, said: 'MASTER_KEY must be 32 bytes in base64.\n' })
    await running(configOf(), (database) =>
      database.inDirectory(async () => {
        const refused = await run()
        expect(refused.code).toBe(1)
        expect(refused.said).toMatch(/^A server is running on this database\. .*\n$/)
      }),
    )
  })
})
