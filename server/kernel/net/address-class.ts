import { BlockList, isIP } from 'node:net'

/**
 * IPv4 ranges that requests of a manifest must not reach (IANA special-purpose registry, and cloud metadata addresses).
 */
const special4: readonly (readonly [subnet: string, bits: number, kind: string])[] = [
  ['0.0.0.0', 8, 'this host'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'carrier-grade NAT'],
  ['127.0.0.0', 8, 'loopback'],
  ['168.63.129.16', 32, 'cloud metadata'],
  ['169.254.0.0', 16, 'link-local'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'documentation'],
  ['192.31.196.0', 24, 'reserved'],
  ['192.52.193.0', 24, 'reserved'],
  ['192.88.99.0', 24, 'reserved'],
  ['192.168.0.0', 16, 'private'],
  ['192.175.48.0', 24, 'reserved'],
  ['198.18.0.0', 15, 'benchmarking'],
  ['198.51.100.0', 24, 'documentation'],
  ['203.0.113.0', 24, 'documentation'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved'],
]

/** Ranges inside 2000::/3 that are not public: they embed an IPv4 address, or are not routed. */
const special6: readonly (readonly [subnet: string, bits: number, kind: string])[] = [
  ['2001::', 23, 'reserved'],
  ['2001:db8::', 32, 'documentation'],
  ['2002::', 16, '6to4'],
  ['3fff::', 20, 'documentation'],
]

const listed = (
  ranges: readonly (readonly [subnet: string, bits: number, kind: string])[],
  family: 'ipv4' | 'ipv6',
): { list: BlockList; kind: string }[] =>
  ranges.map(([subnet, bits, kind]) => {
    const list = new BlockList()
    list.addSubnet(subnet, bits, family)
    return { list, kind }
  })

const lists4 = listed(special4, 'ipv4')
const lists6 = listed(special6, 'ipv6')
const [globalUnicast] = listed([['2000::', 3, 'global']], 'ipv6')

/**
 * The kind of a non-public address; undefined for a public one. IPv6 is allowed only inside 2000::/3: everything that
 * maps, translates or tunnels an IPv4 address is outside of it or in the table above.
 */
export function whyNotPublic(address: string): string | undefined {
  const plain = address.split('%', 1)[0] ?? ''
  switch (isIP(plain)) {
    case 4:
      return lists4.find(({ list }) => list.check(plain, 'ipv4'))?.kind
    case 6:
      if (address.includes('%')) return 'link-local'
      if (globalUnicast?.list.check(plain, 'ipv6') !== true) return 'not global IPv6'
      return lists6.find(({ list }) => list.check(plain, 'ipv6'))?.kind
    default:
      return 'not an address'
  }
}
