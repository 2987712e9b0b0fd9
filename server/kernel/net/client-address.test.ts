import { describe, expect, test } from 'vitest'
import { type Address, parseAddress, parseNetworks, sourceOf, textOf } from './address.ts'
import { clientAddress } from './client-address.ts'

const networks = (text: string) => {
  const parsed = parseNetworks(text)
  if (parsed === undefined) throw new Error(`Not a list of networks: ${text}`)
  return parsed
}
const address = (text: string): Address => {
  const parsed = parseAddress(text)
  if (parsed === undefined) throw new Error(`Not an address: ${text}`)
  return parsed
}

const proxies = networks('10.0.0.0/8, 2001:db8:ffff::/48')
const seen = (peer: string, headers: Record<string, string>) => textOf(clientAddress(address(peer), headers, proxies))

describe('the client’s address', () => {
  test.each([
    [
      'the peer’s own, whatever an untrusted peer claims',
      '203.0.113.9',
      { 'x-forwarded-for': '198.51.100.1' },
      '203.0.113.9',
    ],
    ['the proxy’s own without a header', '10.0.0.1', {}, '10.0.0.1'],
    ['the rightmost', '10.0.0.1', { 'x-forwarded-for': '6.6.6.6, 198.51.100.1' }, '198.51.100.1'],
    ['left of trusted hops', '10.0.0.1', { 'x-forwarded-for': '6.6.6.6,198.51.100.1,10.0.0.2' }, '198.51.100.1'],
    ['the leftmost if every hop is trusted', '10.0.0.1', { 'x-forwarded-for': '10.0.0.3, 10.0.0.2' }, '10.0.0.3'],
    ['without a port', '10.0.0.1', { 'x-forwarded-for': '198.51.100.1:4711' }, '198.51.100.1'],
    ['IPv6 in any spelling', '10.0.0.1', { 'x-forwarded-for': '2001:DB8:0:0::0001' }, '2001:db8::1'],
    ['IPv6 in brackets', '10.0.0.1', { 'x-forwarded-for': '[2001:db8::1]' }, '2001:db8::1'],
    ['IPv6 with a port', '10.0.0.1', { 'x-forwarded-for': '[2001:db8::1]:4711' }, '2001:db8::1'],
    ['IPv4 mapped into IPv6', '10.0.0.1', { 'x-forwarded-for': '::ffff:198.51.100.1' }, '198.51.100.1'],
    ['IPv4 mapped into IPv6, in hexadecimal', '10.0.0.1', { 'x-forwarded-for': '::ffff:c633:6401' }, '198.51.100.1'],
    ['the proxy’s for an unknown caller', '10.0.0.1', { 'x-forwarded-for': 'unknown' }, '10.0.0.1'],
    [
      'the last trusted hop’s for a malformed one',
      '10.0.0.1',
      { 'x-forwarded-for': '6.6.6.6, x, 10.0.0.2' },
      '10.0.0.2',
    ],
    ['the proxy’s for an ambiguous spelling', '10.0.0.1', { 'x-forwarded-for': '0306.51.100.1' }, '10.0.0.1'],
    ['the proxy’s for a zone', '10.0.0.1', { 'x-forwarded-for': 'fe80::1%eth0' }, '10.0.0.1'],
    ['the proxy’s for an empty header', '10.0.0.1', { 'x-forwarded-for': '' }, '10.0.0.1'],
    [
      'that of Forwarded',
      '10.0.0.1',
      { forwarded: 'for=6.6.6.6, For=198.51.100.1;proto=https;by=10.0.0.1' },
      '198.51.100.1',
    ],
    ['that of Forwarded, quoted', '10.0.0.1', { forwarded: 'proto=https;for="[2001:db8::1]:4711"' }, '2001:db8::1'],
    ['that of Forwarded with an obfuscated port', '10.0.0.1', { forwarded: 'for="198.51.100.1:_x"' }, '198.51.100.1'],
    [
      'the last trusted hop’s for an obfuscated identifier',
      '10.0.0.1',
      { forwarded: 'for=_hidden, for=10.0.0.2' },
      '10.0.0.2',
    ],
    [
      'the proxy’s for a hop without an address',
      '10.0.0.1',
      { forwarded: 'for=198.51.100.1, proto=https' },
      '10.0.0.1',
    ],
    ['the proxy’s for a hop with two addresses', '10.0.0.1', { forwarded: 'for=198.51.100.1;for=6.6.6.6' }, '10.0.0.1'],
    [
      'the proxy’s if a caller opens a quote that swallows it',
      '10.0.0.1',
      { forwarded: 'for=6.6.6.6;x=", for=198.51.100.1' },
      '10.0.0.1',
    ],
    [
      'the proxy’s if a caller opens a quote that a quoted one closes',
      '10.0.0.1',
      { forwarded: 'for=6.6.6.6;x=", for="[2001:db8::1]"' },
      '10.0.0.1',
    ],
    [
      'of both headers if they agree',
      '10.0.0.1',
      { forwarded: 'for=198.51.100.1', 'x-forwarded-for': '6.6.6.6, 198.51.100.1' },
      '198.51.100.1',
    ],
    [
      'the proxy’s if the headers differ: one may be the caller’s',
      '10.0.0.1',
      { forwarded: 'for=6.6.6.6', 'x-forwarded-for': '198.51.100.1' },
      '10.0.0.1',
    ],
    ['behind a peer of IPv6', '2001:db8:ffff::1', { 'x-forwarded-for': '198.51.100.1' }, '198.51.100.1'],
    ['behind a peer of mapped IPv4', '::ffff:10.0.0.1', { 'x-forwarded-for': '198.51.100.1' }, '198.51.100.1'],
  ])('is %s', (_name, peer, headers, expected) => {
    expect(seen(peer, headers)).toBe(expected)
  })

  test('is found in linear time in the longest header', () => {
    const header = '\t '.repeat(8000) + '"'.repeat(200)
    for (const name of ['forwarded', 'x-forwarded-for']) expect(seen('10.0.0.1', { [name]: header })).toBe('10.0.0.1')
  })
})

test('TRUSTED_PROXIES accepts addresses and networks, and not all addresses', () => {
  expect(networks('10.0.0.1, 192.168.0.0/16,2001:db8::/32, ::1')).toHaveLength(4)
  expect(networks('::ffff:10.0.0.0/104')).toEqual(networks('10.0.0.0/8'))
  for (const wrong of [
    'proxy.internal',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '::/0',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.1/16',
    '::ffff:10.0.0.0/80',
  ])
    expect(parseNetworks(wrong), wrong).toBeUndefined()
})

test('strangers share by address, and of IPv6 by /64', () => {
  const groups = (...all: string[]) => new Set(all.map((one) => sourceOf(address(one)).group)).size
  const around = (...all: string[]) => new Set(all.map((one) => sourceOf(address(one)).network)).size
  expect(groups('198.51.100.1', '::ffff:198.51.100.1')).toBe(1)
  expect(groups('198.51.100.1', '198.51.100.2')).toBe(2)
  expect(groups('2001:db8::1', '2001:db8::ffff:ffff:ffff:ffff')).toBe(1)
  expect(groups('2001:db8::1', '2001:db8:0:1::1')).toBe(2)
  expect(groups('64:ff9b::c633:6401', '64:ff9b::c633:6402', '198.51.100.1')).toBe(2)
  expect(around('198.51.100.1', '198.51.100.2')).toBe(1)
  expect(around('2001:db8::1', '2001:db8:0:1::1')).toBe(1)
  expect(around('2001:db8::1', '2001:db8:1::1')).toBe(2)
})
