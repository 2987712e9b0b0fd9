import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'
import { checkSuccession, checkSuccessor, publishedKeys } from './origin.ts'

const pair = () => generateKeyPairSync('ed25519')
const derOf = (key: KeyObject) => key.export({ type: 'spki', format: 'der' })
const fingerprintOf = (key: KeyObject) => createHash('sha256').update(derOf(key)).digest('hex')

/** A list of three evidence keys, each signed by the one before it, as log-keys.json has them: the newest first. */
function succession(change: (entries: JsonObject[]) => void = () => undefined) {
  const pairs = [pair(), pair(), pair()]
  const entries = pairs.map(({ publicKey }, index): JsonObject => {
    const stated = {
      tenant: 'northwind',
      purpose: 'evidence',
      algorithm: 'Ed25519',
      publicKey: derOf(publicKey).subarray(-32).toString('base64'),
      validFrom: `2026-0${index + 1}-01T00:00:00.000Z`,
    }
    const before = pairs[index - 1]
    const message = Buffer.from(`countersign.key.v1\n${canonicalJson(stated)}`)
    return {
      ...stated,
      fingerprint: `sha256:${fingerprintOf(publicKey)}`,
      validUntil: null,
      predecessor:
        before === undefined
          ? null
          : {
              fingerprint: `sha256:${fingerprintOf(before.publicKey)}`,
              signature: sign(null, message, before.privateKey).toString('base64'),
            },
    }
  })
  change(entries)
  const file = { type: 'countersign-log-keys-v1', tenant: 'northwind', keys: entries.toReversed() }
  return {
    keys: () => publishedKeys(file, 'northwind'),
    fingerprints: pairs.map(({ publicKey }) => fingerprintOf(publicKey)),
  }
}

describe('the keys that the service publishes', () => {
  test('pass when each was signed by its predecessor, and lead from an older key to a newer one only', async () => {
    const { keys, fingerprints } = succession()
    await checkSuccession(keys())
    const [oldest = '', , newest = ''] = fingerprints
    expect(checkSuccessor(keys(), oldest, newest)).toContain('successors signed each other')
    expect(checkSuccessor(keys(), newest, oldest)).toBeUndefined()
    expect(checkSuccessor(keys(), '0'.repeat(64), newest)).toBeUndefined()
  })

  const entry = (entries: JsonObject[], index: number): JsonObject => entries[index] ?? {}
  test.each<[string, (entries: JsonObject[]) => void, string]>([
    [
      'a key that its predecessor did not sign',
      (entries) => {
        entry(entries, 1).validFrom = '2020-01-01T00:00:00.000Z'
      },
      'did not sign it',
    ],
    [
      'a signature by another key',
      (entries) => {
        const { predecessor } = entry(entries, 2)
        entry(entries, 1).predecessor = predecessor ?? null
      },
      'did not sign it|does not publish the predecessor',
    ],
    ['a missing predecessor', (entries) => void entries.splice(0, 1), 'does not publish the predecessor'],
    [
      'a second first key',
      (entries) => {
        entry(entries, 2).predecessor = null
      },
      'two first keys',
    ],
    [
      'a fingerprint of another key',
      (entries) => {
        entry(entries, 2).fingerprint = `sha256:${'0'.repeat(64)}`
      },
      'does not have that fingerprint',
    ],
    [
      'a key of another tenant',
      (entries) => {
        entry(entries, 0).tenant = 'other'
      },
      'different organisation',
    ],
  ])('fail for %s', async (_name, change, reason) => {
    const { keys } = succession(change)
    await expect((async () => await checkSuccession(keys()))()).rejects.toThrow(new RegExp(reason))
  })
})
