import { expect, test } from 'vitest'
import { apiKeyDigest, isApiKey, newApiKey } from './api-key-format.ts'

const keys = Array.from({ length: 200 }, newApiKey)

test('a key is one word of 52 characters, and never repeats', () => {
  for (const key of keys) {
    expect(key).toMatch(/^cs_[0-9A-Za-z]{49}$/)
    expect(isApiKey(key)).toBe(true)
  }
  expect(new Set(keys).size).toBe(keys.length)
})

test('a key contains 256 random bits: each of them is set in about half of the keys', () => {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const secrets = keys.map((key) =>
    [...key.slice(3, 46)].reduce((value, digit) => value * 62n + BigInt(alphabet.indexOf(digit)), 0n),
  )
  for (const secret of secrets) expect(secret >> 256n).toBe(0n)
  for (let bit = 0n; bit < 256n; bit += 1n) {
    const set = secrets.filter((secret) => ((secret >> bit) & 1n) === 1n).length
    expect(Math.abs(set - 100), `bit ${bit}`).toBeLessThan(50)
  }
})

test('a typing error is detected without a database query', () => {
  const [key = ''] = keys
  for (let at = 3; at < key.length; at += 1) {
    const other = key[at] === 'x' ? 'y' : 'x'
    expect(isApiKey(`${key.slice(0, at)}${other}${key.slice(at + 1)}`), `position ${at}`).toBe(false)
  }
  for (const changed of [
    '',
    'cs_',
    key.slice(1),
    key.slice(0, -1),
    `${key}0`,
    ` ${key}`,
    `${key}\n`,
    key.toUpperCase(),
    `${key}, ${key}`,
  ])
    expect(isApiKey(changed)).toBe(false)
})

test('only the SHA-256 of a key is stored', () => {
  expect(apiKeyDigest('cs_').toString('hex')).toBe('8a34998a7056ac775cff7b7800b66714d03d4b9a0dddf3d9f5775df0225385cc')
})
