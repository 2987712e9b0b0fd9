import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  auditLeaf,
  auditLeafHash,
  auditLeafText,
  leafTextHashHex,
  leafTextOf,
  recordDigest,
  textDigest,
  textDigestHex,
} from './record.ts'

const nonce = Buffer.from(Array.from({ length: 32 }, (_, index) => index))
const record = { b: 'ü', a: [1, true, null] }
const fields = {
  auditId: '01890000-0000-7000-8000-000000000001',
  date: '2026-11-20',
  digest: recordDigest(nonce, record),
  seq: 7,
  tenant: 'northwind',
  type: 'approval.approve',
}

test('the digest covers domain, nonce and canonical record', () => {
  const expected = createHash('sha256')
    .update('agcp.audit.record.v1\n')
    .update(nonce)
    .update('{"a":[1,true,null],"b":"ü"}')
    .digest()
  expect(recordDigest(nonce, record)).toEqual(expected)
  expect(recordDigest(nonce, { a: [1, true, null], b: 'ü' })).toEqual(expected)
})

test('another nonce or another record gives another digest', () => {
  expect(recordDigest(Buffer.alloc(32), record)).not.toEqual(recordDigest(nonce, record))
  expect(recordDigest(nonce, { ...record, b: 'u' })).not.toEqual(recordDigest(nonce, record))
})

test('the leaf is canonical JSON with its version, and its hash has the leaf prefix', () => {
  const digest = `sha256:${fields.digest.toString('hex')}`
  const text = `{"auditId":"${fields.auditId}","date":"2026-11-20","digest":"${digest}","seq":7,"tenant":"northwind","type":"approval.approve","v":1}`
  expect(auditLeaf(fields).toString()).toBe(text)
  expect(auditLeafHash(fields)).toEqual(createHash('sha256').update(Buffer.of(0)).update(text).digest())
})

test('texts of any length have one digest, in bytes and in hex', () => {
  for (const text of ['', 'x', 'ü€😀', 'x'.repeat(16 * 1024), '€'.repeat(16 * 1024), '€'.repeat(16 * 1024 + 1), 'y']) {
    const expected = createHash('sha256').update('agcp.audit.record.v1\n').update(nonce).update(text).digest('hex')
    expect(textDigest(nonce, text).toString('hex')).toBe(expected)
    expect(textDigestHex(nonce.toString('hex'), text)).toBe(expected)
  }
})

test('a leaf with its digest in hex is the same', () => {
  const text = leafTextOf({ ...fields, digest: fields.digest.toString('hex') })
  expect(text).toBe(auditLeafText(fields))
  expect(leafTextHashHex(text)).toBe(auditLeafHash(fields).toString('hex'))
})

test('malformed values are refused', () => {
  expect(() => recordDigest(nonce.subarray(1), record)).toThrow(RangeError)
  // The buffer that digests share must not lend a short nonce the end of the one before.
  expect(() => textDigest(nonce.subarray(1), '{}')).toThrow(RangeError)
  expect(() => textDigestHex('ab'.repeat(31), '{}')).toThrow(RangeError)
  expect(() => textDigestHex('ab'.repeat(33), '{}')).toThrow(RangeError)
  expect(() => leafTextOf({ ...fields, digest: 'ab'.repeat(31) })).toThrow(RangeError)
  expect(() => recordDigest(nonce, { at: 1_764_000_000 * 1e9 })).toThrow(/write it as a string/)
  expect(() => auditLeaf({ ...fields, digest: Buffer.alloc(31) })).toThrow(RangeError)
  expect(() => auditLeaf({ ...fields, date: '2026-11-20T00:00:00Z' })).toThrow(RangeError)
  expect(() => auditLeaf({ ...fields, seq: -1 })).toThrow(RangeError)
})
