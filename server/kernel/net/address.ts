import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6
/** An address and the number of its leading bits that matter. */
export type Network = [address: Address, bits: number]

/** An IPv4 address, also if it is mapped into IPv6, or an IPv6 address without a zone. Undefined for any other text. */
export function parseAddress(text: string): Address | undefined {
  // The library also reads octal and shortened IPv4; isIP accepts the one spelling that is not ambiguous.
  if (isIP(text) === 0 || text.includes('%')) return undefined
  return ipaddr.process(text)
}

/**
 * A comma-separated list of addresses and networks in CIDR notation. Undefined if an entry is neither, or is a network
 * of all addresses.
 */
export function parseNetworks(text: string): Network[] | undefined {
  const networks: Network[] = []
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry === '') continue
    const [address = '', bits, ...rest] = entry.split('/')
    const parsed = parseAddress(address)
    if (parsed === undefined || rest.length > 0 || !/^\d{1,3}$/.test(bits ?? '0')) return undefined
    // Of a mapped network, ::ffff:10.0.0.0/104, the first 96 bits say that it is IPv4.
    const most = parsed.kind() === 'ipv4' ? 32 : 128
    const given = bits === undefined ? most : Number(bits) - (most === 32 && address.includes(':') ? 96 : 0)
    if (given < 1 || given > most) return undefined
    networks.push([parsed, given])
  }
  return networks
}

export const isIn = (networks: readonly Network[], address: Address): boolean =>
  networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))

/** Who shares with whom: a stranger can use every address of a /64 of IPv6, and often of a /48. */
export type Source = {
  /** IPv4, or the /64 of an IPv6 address. */
  group: string
  /** The /24 or /48 around it. */
  network: string
}

export function sourceOf(address: Address): Source {
  if (address instanceof ipaddr.IPv4) {
    const [a, b, c] = address.octets
    return { group: address.toString(), network: `${a}.${b}.${c}.0/24` }
  }
  // A translator (RFC 6052) puts every IPv4 address into one /64.
  if (address.range() === 'rfc6052') return sourceOf(new ipaddr.IPv4(address.toByteArray().slice(12)))
  const prefix = (parts: number) =>
    `${address.parts
      .slice(0, parts)
      .map((part) => part.toString(16))
      .join(':')}::/${parts * 16}`
  return { group: prefix(4), network: prefix(3) }
}

/** The shortest spelling, which is the same for every spelling of the address. */
export const textOf = (address: Address): string =>
  address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString()
