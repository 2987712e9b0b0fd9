import { createCipheriv, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createVault } from './vault.ts'

const [old, current, other] = [randomBytes(32), randomBytes(32), randomBytes(32)]
const secret = Buffer.from('a private key')

test('what is sealed opens for its context, and for no other', () => {
  const vault = createVault(current)
  const sealed = vault.seal(secret, 'signing_keys/a/realm')
  expect(vault.open(sealed, 'signing_keys/a/realm')).toEqual(secret)
  expect(() => vault.open(sealed, 'signing_keys/b/realm')).toThrow(/can't be opened/)
  expect(sealed.includes(secret)).toBe(false)
})

test('no two sealings are alike', () => {
  const vault = createVault(current)
  expect(vault.seal(secret, 'x').equals(vault.seal(secret, 'x'))).toBe(false)
})

test('a changed bit anywhere, a cut and an unknown format are refused', () => {
  const vault = createVault(current)
  const sealed = vault.seal(secret, 'x')
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect(() => vault.open(changed, 'x'), `byte ${at}`).toThrow()
  }
  for (let length = 0; length < sealed.length; length += 1)
    expect(() => vault.open(sealed.subarray(0, length), 'x')).toThrow()
})

describe('during a rotation', () => {
  const before = createVault(old)
  const during = createVault(current, old)
  const after = createVault(current)

  test('the new key seals, both open', () => {
    const sealed = before.seal(secret, 'x')
    expect(during.open(sealed, 'x')).toEqual(secret)
    expect(during.isCurrent(sealed)).toBe(false)
    const anew = during.seal(during.open(sealed, 'x'), 'x')
    expect(during.isCurrent(anew)).toBe(true)
    expect(after.open(anew, 'x')).toEqual(secret)
    expect(() => before.open(anew, 'x')).toThrow(/another one/)
    expect(() => createVault(other).open(sealed, 'x')).toThrow(/another one/)
  })

  test('what was sealed before ciphertexts named their key opens still, and counts as not current', () => {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', old, nonce).setAAD(Buffer.from('x'))
    const body = Buffer.concat([cipher.update(secret), cipher.final()])
    const unnamed = Buffer.concat([Buffer.of(1), nonce, cipher.getAuthTag(), body])
    for (const vault of [before, during]) {
      expect(vault.open(unnamed, 'x')).toEqual(secret)
      expect(vault.isCurrent(unnamed)).toBe(false)
      expect(() => vault.open(unnamed, 'y')).toThrow()
    }
    expect(() => after.open(unnamed, 'x')).toThrow(/another one/)
  })
})
