import { expect, test } from 'vitest'
import { databaseMark, operatorProof, provenKey } from '#server/kernel/net/operator-proof.ts'
import { lineOf } from './findings.ts'
import { checkProxies, type Seen } from './proxies.ts'

const claimed = '203.0.113.77'
const direct = {
  peer: '10.0.0.1',
  trusted: false,
  address: '10.0.0.1',
  forwarded: `for=${claimed}`,
  xForwardedFor: claimed,
}
const appended = { ...direct, forwarded: null, xForwardedFor: `${claimed}, 198.51.100.4` }
const right = { ...appended, trusted: true, address: '198.51.100.4' }

test.each<[string, Partial<Seen>, boolean, RegExp]>([
  ['no proxy, on this machine', direct, true, /^ok .* without a proxy, from 10\.0\.0\.1$/],
  ['a trusted address of this machine', { ...direct, trusted: true, address: claimed }, true, /^warning .* → To check/],
  ['a proxy that names no one, or none', direct, false, /^warning .* set TRUSTED_PROXIES=10\.0\.0\.1\.$/],
  [
    'a proxy that passes on what a caller claims',
    { ...direct, trusted: true, address: claimed },
    false,
    /^FAILED .*choose/,
  ],
  ['a proxy that is not in TRUSTED_PROXIES', appended, false, /^FAILED .* → Set TRUSTED_PROXIES=10\.0\.0\.1,/],
  ['a trusted proxy that appends', right, false, /^ok .* sees this machine as 198\.51\.100\.4$/],
  ['a trusted proxy that replaces', { ...right, xForwardedFor: '198.51.100.4' }, false, /^ok /],
  ['a trusted proxy that passes Forwarded on', { ...right, forwarded: `for=${claimed}` }, false, /^FAILED .*Forwarded/],
  [
    'a trusted proxy that removes the headers',
    { ...right, xForwardedFor: null, address: '10.0.0.1' },
    false,
    /^FAILED .*names no/,
  ],
  ['this machine as a proxy', { ...right, address: claimed }, false, /^warning .* → To check the proxy, run/],
])('%s', (_name, seen, local, expected) => {
  expect(lineOf(checkProxies({ ...direct, ...seen }, local))).toMatch(expected)
})

test('what the server saw is for holders of the master key, for a minute', () => {
  const [key, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const now = 1_800_000_000_000
  const proof = operatorProof(key, now)
  expect(provenKey([key], proof, now + 59_000)).toBe(key)
  expect(provenKey([other, key], proof, now - 59_000)).toBe(key)
  expect(provenKey([key], proof, now + 61_000)).toBeUndefined()
  expect(provenKey([other], proof, now)).toBeUndefined()
  for (const wrong of [
    null,
    '',
    '.',
    `${now}.`,
    proof.slice(0, -1),
    proof.replace(String(now), String(now + 1)),
    `${proof}0`,
  ])
    expect(provenKey([key], wrong, now), String(wrong)).toBeUndefined()
  // A mark of a database can't be sent as a proof.
  expect(provenKey([key], `${now}.${databaseMark(key, String(now))}`, now)).toBeUndefined()
})
