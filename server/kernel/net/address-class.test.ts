import { describe, expect, test } from 'vitest'
import { whyNotPublic } from './address-class.ts'

const notPublic: [address: string, kind: string][] = [
  ['0.0.0.0', 'this host'],
  ['0.1.2.3', 'this host'],
  ['10.0.0.0', 'private'],
  ['10.255.255.255', 'private'],
  ['100.64.0.0', 'carrier-grade NAT'],
  ['100.100.100.200', 'carrier-grade NAT'],
  ['100.127.255.255', 'carrier-grade NAT'],
  ['127.0.0.1', 'loopback'],
  ['127.1.2.3', 'loopback'],
  ['127.255.255.255', 'loopback'],
  ['168.63.129.16', 'cloud metadata'],
  ['169.254.0.1', 'link-local'],
  ['169.254.169.254', 'link-local'],
  ['169.254.170.2', 'link-local'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.0.0.1', 'reserved'],
  ['192.0.0.170', 'reserved'],
  ['192.0.2.1', 'documentation'],
  ['192.88.99.1', 'reserved'],
  ['192.168.0.1', 'private'],
  ['192.168.255.255', 'private'],
  ['198.18.0.1', 'benchmarking'],
  ['198.19.255.255', 'benchmarking'],
  ['198.51.100.7', 'documentation'],
  ['203.0.113.9', 'documentation'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['::', 'not global IPv6'],
  ['::1', 'not global IPv6'],
  ['0:0:0:0:0:0:0:1', 'not global IPv6'],
  ['::127.0.0.1', 'not global IPv6'],
  ['::ffff:127.0.0.1', 'not global IPv6'],
  ['::ffff:7f00:1', 'not global IPv6'],
  ['::ffff:a9fe:a9fe', 'not global IPv6'],
  ['::ffff:10.0.0.1', 'not global IPv6'],
  ['::ffff:8.8.8.8', 'not global IPv6'],
  ['0:0:0:0:0:ffff:c0a8:1', 'not global IPv6'],
  ['::ffff:0:127.0.0.1', 'not global IPv6'],
  ['64:ff9b::127.0.0.1', 'not global IPv6'],
  ['64:ff9b::a9fe:a9fe', 'not global IPv6'],
  ['64:ff9b:1::10.0.0.1', 'not global IPv6'],
  ['100::1', 'not global IPv6'],
  ['fc00::1', 'not global IPv6'],
  ['fd00:ec2::254', 'not global IPv6'],
  ['fdff::1', 'not global IPv6'],
  ['fe80::1', 'not global IPv6'],
  ['fe80::1%eth0', 'link-local'],
  ['2606:4700:4700::1111%1', 'link-local'],
  ['fec0::1', 'not global IPv6'],
  ['ff02::1', 'not global IPv6'],
  ['ff0e::1', 'not global IPv6'],
  ['2001::1', 'reserved'],
  ['2001:0:7f00:1::', 'reserved'],
  ['2001:10::1', 'reserved'],
  ['2001:20::1', 'reserved'],
  ['2001:db8::1', 'documentation'],
  ['2002:7f00:1::', '6to4'],
  ['2002:a9fe:a9fe::1', '6to4'],
  ['3fff::1', 'documentation'],
  ['4000::1', 'not global IPv6'],
  ['', 'not an address'],
  ['localhost', 'not an address'],
  ['127.1', 'not an address'],
  ['0x7f000001', 'not an address'],
  ['2130706433', 'not an address'],
  ['0177.0.0.1', 'not an address'],
  ['1.2.3.4 ', 'not an address'],
]

const open = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '128.0.0.1',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2001:4860:4860::8888',
  '2a00:1450:4001:80e::200e',
]

describe('addresses', () => {
  test.each(notPublic)('%s is not public: %s', (address, kind) => {
    expect(whyNotPublic(address)).toBe(kind)
  })

  test.each(open)('%s is public', (address) => {
    expect(whyNotPublic(address)).toBeUndefined()
  })
})

// URL parsing of a host before it is resolved: none of these spellings bypasses the table above.
test.each([
  ['http://2130706433/', '127.0.0.1'],
  ['http://0x7f.1/', '127.0.0.1'],
  ['http://0177.0.0.1/', '127.0.0.1'],
  ['http://127.1/', '127.0.0.1'],
  ['http://①②⑦.⓪.⓪.①/', '127.0.0.1'],
  ['http://0xa9fea9fe/', '169.254.169.254'],
  ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
])('%s is %s', (url, host) => {
  const { hostname } = new URL(url)
  expect(hostname.replace(/^\[|\]$/g, '')).toBe(host)
  expect(whyNotPublic(host)).toBeDefined()
})
