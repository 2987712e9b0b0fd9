import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonValue } from '#lib/json.ts'
import { cipherOf } from '#server/kernel/keys/tenant-keys.ts'
import { commitment } from '#server/traces/encryption/encrypt-span.ts'
import { commitmentOf, present, stubOf } from './committed.ts'

const key = { version: 7, key: Buffer.alloc(32, 9) } as const
const cipher = cipherOf('tenant', [key])
const before = cipherOf('tenant', [key], false)

test.each<JsonValue>([{ b: 1, a: ['x', null, true] }, 'Grace', 0, null])(
  '%j is committed to as a value of a span is, with a salt that only its ciphertext contains',
  (value) => {
    const encrypted = cipher.encryptJson(value, 'x/1')
    const disclosed = cipher.disclose(encrypted, 'x/1')
    expect(disclosed.value).toEqual(value)
    expect(disclosed.commitment).toBe(commitmentOf(encrypted))
    expect(commitment([disclosed.salt ?? '', value])).toBe(commitmentOf(encrypted))
    expect(Buffer.from(disclosed.salt ?? '', 'base64url')).toHaveLength(32)
    expect(encrypted.includes(Buffer.from(disclosed.salt ?? '', 'base64url'))).toBe(false)
    expect(commitmentOf(cipher.encryptJson(value, 'x/1'))).not.toBe(commitmentOf(encrypted))
  },
)

test.each([
  ['half a surrogate pair', { text: '\ud83d' }],
  ['an integer that JSON can’t represent exactly', { n: 2 ** 60 }],
])('a value with %s is committed to by its JSON text', (_what, value) => {
  const { value: opened, salt, commitment: made } = cipher.disclose(cipher.encryptJson(value, 'x/1'), 'x/1')
  expect(opened).toEqual(value)
  const text = canonicalJson([salt, { $json: JSON.stringify(value) }])
  expect(hash('sha256', text, 'base64url')).toBe(made)
})

test('members without a value are not part of the commitment', () => {
  const value = { a: 1, b: undefined } as unknown as JsonValue
  const { salt, commitment: made } = cipher.disclose(cipher.encryptJson(value, 'x/1'), 'x/1')
  expect(commitment([salt ?? '', { a: 1 }])).toBe(made)
})

describe('a stored value', () => {
  const encrypted = cipher.encryptJson({ amount: 10 }, 'x/1')

  test.each([0, 1, 5, 36, 37, encrypted.length - 1])('can’t be read after its byte %i was changed', (at) => {
    const changed = Buffer.from(encrypted)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(() => cipher.decryptJson(changed, 'x/1')).toThrow()
  })

  test('can’t be read elsewhere, or with its commitment cut off', () => {
    expect(() => cipher.decryptJson(encrypted, 'x/2')).toThrow(/changed/)
    const cut = Buffer.concat([Buffer.of(3), encrypted.subarray(1, 5), encrypted.subarray(37)])
    expect(() => cipher.decryptJson(cut, 'x/1')).toThrow(/changed/)
    expect(() => cipher.decrypt(encrypted, 'x/1')).toThrow(/unknown format/)
  })

  test('leaves only its commitment when it is removed', () => {
    const stub = stubOf(encrypted)
    expect(stub).toHaveLength(33)
    expect(commitmentOf(stub)).toBe(commitmentOf(encrypted))
    expect(stubOf(stub)).toEqual(stub)
    expect(present(stub)).toBeNull()
    expect(present(encrypted)).toBe(encrypted)
    expect(() => cipher.decryptJson(stub ?? Buffer.alloc(0), 'x/1')).toThrow(/unknown format/)
  })
})

test('a value of an earlier version is read, and leaves nothing', () => {
  const encrypted = before.encryptJson({ amount: 10 }, 'x/1')
  expect(encrypted[0]).toBe(3)
  expect(cipher.disclose(encrypted, 'x/1')).toEqual({ value: { amount: 10 }, salt: null, commitment: null })
  expect([commitmentOf(encrypted), stubOf(encrypted), commitmentOf(null), stubOf(null)]).toEqual([
    null,
    null,
    null,
    null,
  ])
})
