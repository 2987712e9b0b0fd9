import { generateKeyPairSync } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { exportJWK } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { setRuntime } from '#server/kernel/runtime.ts'
import { type ForeignIssuer, foreignIssuer, newPair } from '#server/testing/fakes/foreign-issuer.ts'
import { testRuntime } from '#server/testing/tenant.ts'
import { keysOf } from './jwks.ts'
import { findIssuerKey } from './jwks-cache.ts'

let close: () => Promise<void>
let foreign: ForeignIssuer
/** Each test uses a separate issuer in the cache. */
let source: { issuer: string; jwksUri?: string }
let count = 0

beforeAll(async () => {
  const runtime = await testRuntime()
  setRuntime(runtime)
  close = runtime.close
  foreign = await foreignIssuer()
})
beforeEach(() => {
  source = { issuer: foreign.realm(`r${count++}`) }
  foreign.asked.length = 0
})
afterEach(() => {
  foreign.instead = undefined
  vi.useRealTimers()
})
afterAll(async () => {
  await foreign.close()
  await close()
})

const later = (milliseconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })
const kid = () => foreign.keys[0]?.kid ?? ''
const fetches = () => foreign.asked.filter((path) => path.endsWith('/certs')).length
const unavailable = { code: 'unavailable' }

describe('an issuer’s keys', () => {
  test('are fetched once for all concurrent requests, through its discovery document', async () => {
    const found = await Promise.all(Array.from({ length: 20 }, () => findIssuerKey(source, kid())))
    expect(found.every((one) => one?.algorithms.join() === 'RS256')).toBe(true)
    expect(foreign.asked).toHaveLength(2)
    expect(fetches()).toBe(1)
  })

  test('are fetched from Keycloak’s path without a discovery document', async () => {
    const { issuer } = source
    foreign.instead = (path, res) => {
      if (!path.endsWith('/certs')) return res.writeHead(404).end()
      return res
        .writeHead(200, { 'content-type': 'application/jwk-set+json' })
        .end(JSON.stringify({ keys: foreign.keys.map(({ jwk }) => jwk) }))
    }
    expect(await findIssuerKey({ issuer }, kid())).toBeDefined()
  })

  test('are fetched from the operator’s address, if configured', async () => {
    expect(await findIssuerKey({ ...source, jwksUri: `${foreign.realm('elsewhere')}/x/certs` }, kid())).toBeDefined()
    expect(foreign.asked).toEqual(['/realms/elsewhere/x/certs'])
  })

  test('cause two fetches in a minute during a storm of unknown ids, and those that are due', async () => {
    await findIssuerKey(source, kid())
    let storms = 0
    const storm = async () => {
      storms += 1
      const ids = Array.from({ length: 200 }, (_, index) => `unknown-${storms}-${index}`)
      const found = await Promise.allSettled(ids.map((id) => findIssuerKey(source, id)))
      return new Set(found.map((one) => (one.status === 'rejected' ? one.reason.code : one.value)))
    }
    expect([await storm(), fetches()]).toEqual([new Set([undefined]), 2])
    expect([await storm(), fetches()]).toEqual([new Set([undefined]), 3])
    // No one has looked for these, so they may be new.
    expect([await storm(), fetches()]).toEqual([new Set(['unavailable']), 3])
    later(30_000)
    expect([await storm(), fetches()]).toEqual([new Set([undefined]), 4])
    later(29_000)
    expect([await storm(), fetches()]).toEqual([new Set(['unavailable']), 4])
    later(1000)
    expect([await storm(), fetches()]).toEqual([new Set([undefined]), 5])
  })

  test('that are new are found at once, even after a renewal, or after one that came too early', async () => {
    await findIssuerKey(source, kid())
    const added = await newPair('ES256')
    foreign.keys.push(added)
    expect(await findIssuerKey(source, added.kid)).toMatchObject({ algorithms: ['ES256'] })
    const early = await newPair('ES256')
    expect(await findIssuerKey(source, early.kid)).toBeUndefined()
    expect(await findIssuerKey(source, early.kid)).toBeUndefined()
    expect(fetches()).toBe(3)
    foreign.keys.push(early)
    later(30_000)
    // Renewed in the background, as by any other token.
    await findIssuerKey(source, kid())
    expect(await findIssuerKey(source, early.kid)).toMatchObject({ algorithms: ['ES256'] })
    foreign.keys.splice(-2)
  })

  test('that may be new are not refused while it is too early to look for them', async () => {
    await findIssuerKey(source, kid())
    await findIssuerKey(source, 'of-a-stranger')
    await findIssuerKey(source, 'of-another')
    const added = await newPair('ES256')
    foreign.keys.push(added)
    await expect(findIssuerKey(source, added.kid)).rejects.toMatchObject(unavailable)
    expect(await findIssuerKey(source, 'of-a-stranger')).toBeUndefined()
    later(60_000)
    expect(await findIssuerKey(source, added.kid)).toBeDefined()
    foreign.keys.pop()
  })

  test('that were withdrawn, or looked for in vain, are unknown at once, whatever strangers ask for', async () => {
    const doomed = await newPair()
    foreign.keys.push(doomed)
    await findIssuerKey(source, doomed.kid)
    foreign.keys.pop()
    later(31_000)
    await findIssuerKey(source, kid())
    later(5000)
    for (let index = 0; index < 150; index++) await findIssuerKey(source, `unknown-${index}`).catch(() => undefined)
    expect(await findIssuerKey(source, doomed.kid)).toBeUndefined()
    expect(await findIssuerKey(source, 'unknown-0')).toBeUndefined()
  })

  test('that can’t be fetched when a new one is looked for are unavailable', async () => {
    await findIssuerKey(source, kid())
    later(5000)
    foreign.instead = (_path, res) => res.writeHead(500).end()
    await expect(findIssuerKey(source, 'new')).rejects.toMatchObject(unavailable)
    expect(await findIssuerKey(source, kid())).toBeDefined()
  })

  test('that are new are found while the old ones are fresh, and not searched for again', async () => {
    await findIssuerKey(source, kid())
    later(30_000)
    const added = await newPair('ES256')
    foreign.keys.push(added)
    expect(await findIssuerKey(source, added.kid)).toMatchObject({ algorithms: ['ES256'] })
    foreign.keys.pop()
  })

  test('that were withdrawn are rejected within a minute, while the others stay valid', async () => {
    const doomed = await newPair()
    foreign.keys.push(doomed)
    expect(await findIssuerKey(source, doomed.kid)).toBeDefined()
    foreign.keys.pop()
    later(60_000)
    expect(await findIssuerKey(source, doomed.kid)).toBeUndefined()
    expect(await findIssuerKey(source, kid())).toBeDefined()
  })

  test('are renewed in the background when they are half a minute old', async () => {
    await findIssuerKey(source, kid())
    later(30_000)
    foreign.instead = () => undefined
    // No request waits for the response that never comes.
    expect(await findIssuerKey(source, kid())).toBeDefined()
    foreign.instead = undefined
    expect(fetches()).toBe(1)
  })
})

const answers: [string, (path: string, res: ServerResponse) => void][] = [
  ['an error', (_path, res) => res.writeHead(500).end()],
  ['a redirect', (_path, res) => res.writeHead(302, { location: 'http://127.0.0.1:1/keys' }).end()],
  ['another content type', (_path, res) => res.writeHead(200, { 'content-type': 'text/html' }).end('{"keys":[]}')],
  ['no content type', (_path, res) => res.writeHead(200).end('{"keys":[]}')],
  ['invalid JSON', (_path, res) => res.writeHead(200, { 'content-type': 'application/json' }).end('{')],
  ['JSON that is not a key set', (_path, res) => res.writeHead(200, { 'content-type': 'application/json' }).end('[]')],
  [
    'too many keys',
    (_path, res) =>
      res
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ keys: Array.from({ length: 101 }, () => ({})) })),
  ],
  [
    'ten megabytes',
    (_path, res) => {
      res.writeHead(200, { 'content-type': 'application/json' })
      res.end(`{"keys":["${'x'.repeat(10_000_000)}"]}`)
    },
  ],
  ['a connection that breaks', (_path, res) => res.destroy()],
  ['a response that never comes', () => undefined],
]

describe('an issuer that answers with', () => {
  test.each(answers)('%s is unavailable, and the caller may try again', async (_name, answer) => {
    const jwksUri = `${source.issuer}/certs`
    foreign.instead = answer
    await expect(findIssuerKey({ ...source, jwksUri }, kid())).rejects.toMatchObject(unavailable)
    // It is not contacted again immediately.
    await expect(findIssuerKey({ ...source, jwksUri }, kid())).rejects.toMatchObject(unavailable)
    expect(fetches()).toBe(1)
    foreign.instead = undefined
    later(5000)
    expect(await findIssuerKey({ ...source, jwksUri }, kid())).toBeDefined()
  })

  test('an error keeps its keys for a minute after they were read, but no longer', async () => {
    await findIssuerKey(source, kid())
    foreign.instead = (_path, res) => res.writeHead(500).end()
    later(59_000)
    expect(await findIssuerKey(source, kid())).toBeDefined()
    later(1000)
    await expect(findIssuerKey(source, kid())).rejects.toMatchObject(unavailable)
    foreign.instead = undefined
    later(5000)
    expect(await findIssuerKey(source, kid())).toBeDefined()
  })

  test('another issuer’s discovery document, or with a key address without TLS, is not followed', async () => {
    const discovery = (document: object) => (_path: string, res: ServerResponse) =>
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
    foreign.instead = discovery({ issuer: foreign.realm('other'), jwks_uri: `${foreign.realm('other')}/certs` })
    await expect(findIssuerKey(source, kid())).rejects.toMatchObject(unavailable)
    later(5000)
    foreign.instead = discovery({ issuer: source.issuer, jwks_uri: 'http://192.0.2.1/certs' })
    await expect(findIssuerKey(source, kid())).rejects.toMatchObject(unavailable)
    expect(fetches()).toBe(0)
  })
})

describe('a key set’s entry is ignored if it is', () => {
  test.each<[string, () => Promise<object[]> | object[]]>([
    ['for encryption', async () => [{ ...(await newPair()).jwk, use: 'enc' }]],
    ['for other operations', async () => [{ ...(await newPair()).jwk, use: undefined, key_ops: ['encrypt'] }]],
    ['private', () => [privateJwk()]],
    ['a shared secret', () => [{ kty: 'oct', k: 'AAAA', kid: 'k' }]],
    ['without an id', async () => [{ ...(await newPair()).jwk, kid: undefined }]],
    ['with an id of another kind', async () => [{ ...(await newPair()).jwk, kid: 7 }]],
    ['with a long id', async () => [{ ...(await newPair()).jwk, kid: 'x'.repeat(257) }]],
    ['twice under one id', async () => [(await newPair('RS256', 'k')).jwk, (await newPair('ES256', 'k')).jwk]],
    ['a short RSA key', async () => [await shortKey()]],
    ['on a curve that JWS does not use', () => [{ kty: 'EC', crv: 'secp256k1', x: 'AA', y: 'AA', kid: 'k' }]],
    ['for an algorithm that its key does not support', async () => [{ ...(await newPair('ES256')).jwk, alg: 'RS256' }]],
    ['not a key', () => [null, 7, 'x', [], {}] as object[]],
  ])('%s', async (_name, jwks) => {
    expect([...keysOf(await jwks()).keys()]).toEqual([])
  })

  test('but its valid keys are used', async () => {
    const good = (await newPair('EdDSA')).jwk
    expect([...keysOf([privateJwk(), good, {}]).keys()]).toEqual([good.kid])
  })
})

const privateJwk = (): object => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
  kid: 'private',
})

const shortKey = async (): Promise<object> => ({
  ...(await exportJWK(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey)),
  kid: 'short',
})
