import { afterAll, beforeAll, expect, test } from 'vitest'
import { runtime } from '#server/kernel/runtime.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import {
  cipherOf,
  decryptForTenant,
  encryptForTenant,
  forgetTenantKeys,
  tenantCipher,
  tenantDigest,
} from './tenant-keys.ts'

let running: Awaited<ReturnType<typeof testRuntime>>
let one: TestTenant
let two: TestTenant
beforeAll(async () => {
  running = await testRuntime()
  one = await testTenant(running)
  two = await testTenant(running)
})
afterAll(() => running.close())

const value = Buffer.from('sk-live-0123456789')
const encrypt = (tenant: TestTenant, context: string) =>
  runtime().database.inTenant(tenant.id, (tx) => encryptForTenant(tx, tenant.id, value, context))
const decrypt = (tenant: TestTenant, encrypted: Uint8Array, context: string) =>
  runtime().database.inTenant(tenant.id, (tx) => decryptForTenant(tx, tenant.id, encrypted, context))

test('a value can be decrypted only for its own tenant and place', async () => {
  const encrypted = await encrypt(one, 'secrets/1')
  await encrypt(two, 'secrets/1')
  expect(encrypted.includes(value)).toBe(false)
  expect(await decrypt(one, encrypted, 'secrets/1')).toEqual(value)
  await expect(decrypt(one, encrypted, 'secrets/2')).rejects.toThrow(/changed/)
  await expect(decrypt(two, encrypted, 'secrets/1')).rejects.toThrow(/changed/)
})

test('a value names the version of its key: the newest version encrypts, older versions still decrypt', async () => {
  const first = await encrypt(one, 'x')
  expect(first.readUInt32BE(1)).toBe(1)
  const { vault } = runtime()
  await runtime().database.inTenant(one.id, (tx) =>
    tx
      .insertInto('tenantKeys')
      .values({
        tenantId: one.id,
        version: 2,
        sealedKey: vault.encrypt(Buffer.alloc(32, 7), `tenant_keys/${one.id}/2`),
      })
      .execute(),
  )
  forgetTenantKeys(one.id)
  const second = await encrypt(one, 'x')
  expect(second.readUInt32BE(1)).toBe(2)
  expect(await decrypt(one, first, 'x')).toEqual(value)
  expect(await decrypt(one, second, 'x')).toEqual(value)
  // The version is authenticated: it can't be replaced with another key's version.
  const passedOff = Buffer.from(second)
  passedOff.writeUInt32BE(1, 1)
  await expect(decrypt(one, passedOff, 'x')).rejects.toThrow(/changed/)
  passedOff.writeUInt32BE(3, 1)
  await expect(decrypt(one, passedOff, 'x')).rejects.toThrow(/does not have a data key of version 3/)
})

test('twenty concurrent first uses create one key', async () => {
  const fresh = await testTenant(running)
  const encrypted = await Promise.all(Array.from({ length: 20 }, (_, at) => encrypt(fresh, `secrets/${at}`)))
  for (const [at, bytes] of encrypted.entries()) expect(await decrypt(fresh, bytes, `secrets/${at}`)).toEqual(value)
  const owner = await connectAsOwner(running)
  const { rows } = await owner.query('select version from tenant_keys where tenant_id = $1', [fresh.id])
  await owner.end()
  expect(rows).toEqual([{ version: 1 }])
})

test('a digest is stable for a text, differs between tenants, and does not change with a newer key', async () => {
  const tenant = await testTenant(running)
  const digest = (of: TestTenant, text: string) =>
    runtime().database.inTenant(of.id, (tx) => tenantDigest(tx, of.id, text))
  const first = await digest(tenant, 'hunter2')
  expect(await digest(tenant, 'hunter2')).toBe(first)
  expect(await digest(tenant, 'hunter3')).not.toBe(first)
  expect(await digest(two, 'hunter2')).not.toBe(first)
  await runtime().database.inTenant(tenant.id, (tx) =>
    tx
      .insertInto('tenantKeys')
      .values({
        tenantId: tenant.id,
        version: 2,
        sealedKey: runtime().vault.encrypt(Buffer.alloc(32, 9), `tenant_keys/${tenant.id}/2`),
      })
      .execute(),
  )
  forgetTenantKeys(tenant.id)
  expect(await digest(tenant, 'hunter2')).toBe(first)
})

test('a key whose creation was rolled back encrypts nothing; an existing key costs no further statement', async () => {
  const tenant = await testTenant(running)
  const { database } = runtime()
  const undone = database.inTenant(tenant.id, async (tx) => {
    await encryptForTenant(tx, tenant.id, value, 'x')
    // The second use finds the key that the same transaction created.
    await encryptForTenant(tx, tenant.id, value, 'x')
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  const encrypted = await encrypt(tenant, 'x')
  const owner = await connectAsOwner(running)
  expect((await owner.query('select 1 from tenant_keys where tenant_id = $1', [tenant.id])).rowCount).toBe(1)
  // Read once in a transaction that did not create it, the key is cached: without its row it still decrypts.
  expect(await decrypt(tenant, encrypted, 'x')).toEqual(value)
  await owner.query('delete from tenant_keys where tenant_id = $1', [tenant.id])
  await owner.end()
  expect(await decrypt(tenant, encrypted, 'x')).toEqual(value)
  forgetTenantKeys(tenant.id)
  await expect(decrypt(tenant, encrypted, 'x')).rejects.toThrow(/changed/)
})

test('JSON is returned unchanged, even with keys named like inherited properties', async () => {
  const tenant = await testTenant(running)
  const text = '{"__proto__":{"a":1},"constructor":[null,"\\u0000",1e-7]}'
  await runtime().database.inTenant(tenant.id, async (tx) => {
    const cipher = await tenantCipher(tx, tenant.id)
    const encrypted = cipher.encryptJson(JSON.parse(text), 'x')
    expect(JSON.stringify(cipher.decryptJson(encrypted, 'x'))).toBe(text)
    expect(() => cipher.decryptJson(encrypted, 'y')).toThrow(/changed/)
  })
})

test('digests and fingerprints match those that earlier versions stored', () => {
  const cipher = cipherOf('tenant', [{ version: 1, key: Buffer.alloc(32, 7) }])
  expect(cipher.digest('hunter2 – ü')).toBe('b284741b11b2eca49a0666e1da8ffb915e0eb613d826375c6c34565c1c250508')
  expect(cipher.fingerprint('hunter2 – ü').toString('hex')).toBe(
    '281cd3539a271f786f167037f6451bd1ba95267f71f73513b2b345fc85d9194b',
  )
})

test('a mac is right only for its purpose, bytes and tenant key, and names the version of that key', () => {
  const first = { version: 1, key: Buffer.alloc(32, 7) }
  const cipher = cipherOf('tenant', [first])
  const mac = cipher.mac('audit.record', 'one')
  expect(mac.toString('hex')).toBe('0100000001cdb53b1eaa9ad5357d269be4d7bcfbfa5849274f81b42a4ea99a82740a44e1d2')
  expect(cipher.checkMac('audit.record', 'one', mac)).toBe(true)
  expect(cipher.checkMac('audit.record', Buffer.from('one'), new Uint8Array(mac))).toBe(true)
  expect(cipher.checkMac('audit.record', 'two', mac)).toBe(false)
  expect(cipher.checkMac('audit.day', 'one', mac)).toBe(false)
  expect(cipherOf('other', [{ version: 1, key: Buffer.alloc(32, 8) }]).checkMac('audit.record', 'one', mac)).toBe(false)
  for (const missing of [null, undefined, Buffer.alloc(0), mac.subarray(1), Buffer.concat([mac, Buffer.of(0)])])
    expect(cipher.checkMac('audit.record', 'one', missing)).toBe(false)
  for (const at of mac.keys()) {
    const changed = Buffer.from(mac)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect(cipher.checkMac('audit.record', 'one', changed)).toBe(false)
  }
  // A line feed in a purpose could move bytes from one part to the next.
  expect(() => cipher.mac('a\nb', 'c')).toThrow(RangeError)

  const later = cipherOf('tenant', [{ version: 2, key: Buffer.alloc(32, 9) }, first])
  expect(later.checkMac('audit.record', 'one', mac)).toBe(true)
  expect(later.mac('audit.record', 'one').readUInt32BE(1)).toBe(2)
  expect(cipher.checkMac('audit.record', 'one', later.mac('audit.record', 'one'))).toBe(false)
})

test('a salt differs by purpose, text and tenant, and does not change with a newer key', () => {
  const first = { version: 1, key: Buffer.alloc(32, 7) }
  const cipher = cipherOf('tenant', [first])
  const salt = cipher.salt('state', 'approval\n1\n1')
  expect(salt.toString('hex')).toBe('1caa48cf1e16673dec0db454316ec8bc72343c413a7ca68d374a033e86afd74d')
  expect(cipher.salt('state', 'approval\n1\n2')).not.toEqual(salt)
  expect(cipher.salt('other', 'approval\n1\n1')).not.toEqual(salt)
  expect(cipherOf('tenant', [{ version: 2, key: Buffer.alloc(32, 9) }, first]).salt('state', 'approval\n1\n1')).toEqual(
    salt,
  )
})
