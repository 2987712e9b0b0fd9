import { createCipheriv, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createVault } from './vault.ts'

const [old, current, other] = [randomBytes(32), randomBytes(32), randomBytes(32)]
const secret = Buffer.from('a private key')

test('an encrypted value can be decrypted only in its context', () => {
  const vault = createVault(current)
  const encrypted = vault.encrypt(secret, 'signing_keys/a/realm')
  expect(vault.decrypt(encrypted, 'signing_keys/a/realm')).toEqual(secret)
  expect(() => vault.decrypt(encrypted, 'signing_keys/b/realm')).toThrow(/can't be decrypted/)
  expect(encrypted.includes(secret)).toBe(false)
})

test('encrypting twice gives different results', () => {
  const vault = createVault(current)
  expect(vault.encrypt(secret, 'x').equals(vault.encrypt(secret, 'x'))).toBe(false)
})

test('a changed bit, a truncated value and an unknown format are refused', () => {
  const vault = createVault(current)
  const encrypted = vault.encrypt(secret, 'x')
  for (let at = 0; at < encrypted.length; at += 1) {
    const changed = Buffer.from(encrypted)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect(() => vault.decrypt(changed, 'x'), `byte ${at}`).toThrow()
  }
  for (let length = 0; length < encrypted.length; length += 1)
    expect(() => vault.decrypt(encrypted.subarray(0, length), 'x')).toThrow()
})

describe('during a rotation', () => {
  const before = createVault(old)
  const during = createVault(current, old)
  const after = createVault(current)

  test('the new key encrypts, and both keys decrypt', () => {
    const encrypted = before.encrypt(secret, 'x')
    expect(during.decrypt(encrypted, 'x')).toEqual(secret)
    expect(during.isCurrent(encrypted)).toBe(false)
    const reencrypted = during.encrypt(during.decrypt(encrypted, 'x'), 'x')
    expect(during.isCurrent(reencrypted)).toBe(true)
    expect(after.decrypt(reencrypted, 'x')).toEqual(secret)
    expect(() => before.decrypt(reencrypted, 'x')).toThrow(/not the one that encrypted it/)
    expect(() => createVault(other).decrypt(encrypted, 'x')).toThrow(/not the one that encrypted it/)
  })

  test('values from before ciphertexts named their key can still be decrypted, and count as not current', () => {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', old, nonce).setAAD(Buffer.from('x'))
    const body = Buffer.concat([cipher.update(secret), cipher.final()])
    const unnamed = Buffer.concat([Buffer.of(1), nonce, cipher.getAuthTag(), body])
    for (const vault of [before, during]) {
      expect(vault.decrypt(unnamed, 'x')).toEqual(secret)
      expect(vault.isCurrent(unnamed)).toBe(false)
      expect(() => vault.decrypt(unnamed, 'y')).toThrow()
    }
    expect(() => after.decrypt(unnamed, 'x')).toThrow(/not the one that encrypted it/)
  })
})
