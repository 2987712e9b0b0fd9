import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { isGenuine, malformedSignatures, misreadings, signJwt, twinOf } from '#server/testing/auth/misread.ts'
import { maxTokenLength, parseCompactJws } from './gate.ts'

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = encode({ alg: 'ES256' })
const payload = encode({ sub: 'a' })
const signature = Buffer.alloc(64, 7).toString('base64url')
const token = `${header}.${payload}.${signature}`

test('a compact token is parsed to its JSON', () => {
  expect(parseCompactJws(token)).toEqual({ header: { alg: 'ES256' }, payload: { sub: 'a' } })
})

test('a token may be as long as the limit, but no longer', () => {
  // The signature of an algorithm that does not fix its length.
  const rsa = encode({ alg: 'RS256' })
  const filler = (length: number) => `${rsa}.${payload}.${'A'.repeat(length - rsa.length - payload.length - 2)}`
  const length = [0, 1, 2, 3].map((less) => maxTokenLength - less).find((size) => parseCompactJws(filler(size)))
  expect(length).toBeGreaterThan(maxTokenLength - 4)
  expect(parseCompactJws(`${token}${'A'.repeat(maxTokenLength)}`)).toBeUndefined()
})

describe('another spelling of a token is refused', () => {
  // 64 bytes end in a character with four unused bits, so 15 other characters decode to the same bytes.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = alphabet.indexOf(signature.slice(-1))
  const siblings = [1, 2, 15].map((bits) => signature.slice(0, -1) + alphabet[last + bits])

  test.each(siblings)('unused bits of the last character: %s', (sibling) => {
    expect(Buffer.from(sibling, 'base64url')).toEqual(Buffer.from(signature, 'base64url'))
    expect(parseCompactJws(`${header}.${payload}.${sibling}`)).toBeUndefined()
  })

  test.each([
    ['padding', `${token}==`],
    ['a space inside', `${header}.${payload}. ${signature}`],
    ['a space at the end', `${token} `],
    ['a tab', `${header}.${payload}.${signature}\t`],
    ['a newline', `${header}.${payload}.${signature}\n`],
    ['standard base64', `${header}.${payload}.${Buffer.alloc(64, 0xff).toString('base64')}`],
    ['a control character', `${header}.${payload}.${signature}\0`],
    ['letters of another script', `${header}.${payload}.${signature.slice(0, -1)}А`],
  ])('%s', (_name, text) => {
    expect(parseCompactJws(text)).toBeUndefined()
  })
})

test.each([
  ['empty text', ''],
  ['two parts', `${header}.${payload}`],
  ['four parts', `${token}.${signature}`],
  ['five parts, as an encrypted token has', `${token}.${signature}.${signature}`],
  ['an empty signature', `${header}.${payload}.`],
  ['an empty payload', `${header}..${signature}`],
  ['a header that is not JSON', `${Buffer.from('{').toString('base64url')}.${payload}.${signature}`],
  ['a header that is an array', `${encode([])}.${payload}.${signature}`],
  ['a payload that is null', `${header}.${encode(null)}.${signature}`],
  ['a payload that is text', `${header}.${encode('x')}.${signature}`],
  ['a payload that is not UTF-8', `${header}.${Buffer.from([0x22, 0xff, 0x22]).toString('base64url')}.${signature}`],
  ['a payload after a byte order mark', `${header}.${Buffer.from('\ufeff{}').toString('base64url')}.${signature}`],
])('%s is not a token', (_name, text) => {
  expect(parseCompactJws(text)).toBeUndefined()
})

describe.each([
  ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
  ['ES384', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
  ['ES512', generateKeyPairSync('ec', { namedCurve: 'P-521' })],
  ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ['EdDSA', generateKeyPairSync('ed25519')],
])('a token signed with %s', (alg, { privateKey, publicKey }) => {
  const payload = { sub: 'a', iat: 2, ok: [{ sub: 'b' }, { sub: 'b', x: { x: 'x":{' } }] }
  const jwt = { header: { alg, typ: 'at+jwt' }, payload, key: privateKey }

  test('is parsed', () => {
    expect(parseCompactJws(signJwt(jwt))).toEqual({ header: jwt.header, payload })
  })

  test.each(Object.entries(misreadings))('is refused with %s', (_name, make) => {
    const token = make(jwt)
    expect(isGenuine(token, jwt, publicKey)).toBe(true)
    expect(parseCompactJws(token)).toBeUndefined()
  })

  if (!alg.startsWith('ES')) return

  test.each(Object.entries(malformedSignatures))('is refused with a signature with %s', (_name, make) => {
    expect(parseCompactJws(make(jwt))).toBeUndefined()
  })

  test('is parsed with both of its valid signatures, the low s and the high', () => {
    const token = signJwt(jwt)
    const twin = twinOf(token, jwt)
    expect(twin).not.toBe(token)
    expect([isGenuine(token, jwt, publicKey), isGenuine(twin, jwt, publicKey)]).toEqual([true, true])
    expect(parseCompactJws(twin)).toEqual(parseCompactJws(token))
  })
})
