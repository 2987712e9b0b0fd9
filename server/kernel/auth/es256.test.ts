import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { isPlainEs256, isSignedEs256 } from './es256.ts'
import { parseCompactJws } from './gate.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const signed = (header: unknown, { key = privateKey, dsaEncoding = 'ieee-p1363' as 'ieee-p1363' | 'der' } = {}) => {
  const input = `${encode(header)}.${encode({ sub: 'maria' })}`
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding }).toString('base64url')}`
}
const isPlain = (token: string, key: KeyObject = publicKey) => {
  const unverified = parseCompactJws(token)
  return unverified !== undefined && isPlainEs256(unverified, key, ['ES256'])
}

test('what the token library signs is accepted, with no other key and not with one byte changed', async () => {
  const token = await new SignJWT({ sub: 'maria' }).setProtectedHeader({ alg: 'ES256', kid: '1' }).sign(privateKey)
  expect(isPlain(token)).toBe(true)
  expect(isSignedEs256(token, publicKey)).toBe(true)
  expect(isSignedEs256(token, other)).toBe(false)
  for (let index = 0; index < token.length; index++) {
    if (token[index] === '.') continue
    const changed = `${token.slice(0, index)}${token[index] === 'A' ? 'B' : 'A'}${token.slice(index + 1)}`
    if (Buffer.from(changed.split('.')[2] ?? '', 'base64url').toString('base64url') !== changed.split('.')[2]) continue
    expect(isSignedEs256(changed, publicKey)).toBe(false)
  }
})

test('a signature has r and s and nothing else', () => {
  expect(isSignedEs256(signed({ alg: 'ES256' }), publicKey)).toBe(true)
  expect(isSignedEs256(signed({ alg: 'ES256' }, { dsaEncoding: 'der' }), publicKey)).toBe(false)
  const [header, payload] = signed({ alg: 'ES256' }).split('.')
  for (const bytes of [0, 32, 63, 64, 65, 128])
    expect(isSignedEs256(`${header}.${payload}.${Buffer.alloc(bytes).toString('base64url')}`, publicKey)).toBe(false)
})

test('a header that asks for more, and any other algorithm or key, is for the token library', () => {
  expect(isPlain(signed({ alg: 'ES256', typ: 'at+jwt', kid: '1' }))).toBe(true)
  for (const more of [{ crit: ['exp'] }, { b64: false }, { jwk: {} }, { x5c: [] }, { zip: 'DEF' }])
    expect(isPlain(signed({ alg: 'ES256', ...more }))).toBe(false)
  for (const alg of ['none', 'HS256', 'ES384', 'es256', undefined, ['ES256']])
    expect(isPlain(signed({ alg }))).toBe(false)
  const keys = [
    generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey,
    generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey,
    generateKeyPairSync('ed25519').publicKey,
    generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey,
    privateKey,
  ]
  for (const key of keys) expect(isPlain(signed({ alg: 'ES256' }), key)).toBe(false)
  const unverified = parseCompactJws(signed({ alg: 'ES256' }))
  expect(unverified !== undefined && isPlainEs256(unverified, publicKey, ['RS256'])).toBe(false)
})
