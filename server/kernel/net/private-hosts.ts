import { BlockList, isIP } from 'node:net'

/** Non-public hosts that the operator allows (ALLOWED_PRIVATE_HOSTS). */
export type PrivateHosts = {
  /** Host names in lower case, as they appear in a URL. */
  names: ReadonlySet<string>
  networks: BlockList
}

export const noPrivateHosts: PrivateHosts = { names: new Set(), networks: new BlockList() }

/**
 * A comma-separated list of host names, addresses and networks in CIDR notation. Undefined if an entry is none of
 * these.
 */
export function parsePrivateHosts(text: string): PrivateHosts | undefined {
  const names = new Set<string>()
  const networks = new BlockList()
  for (const entry of text.split(',').map((part) => part.trim().toLowerCase())) {
    if (entry === '') continue
    const [address = '', bits] = entry.split('/')
    const family = isIP(address)
    if (family !== 0) {
      const most = family === 4 ? 32 : 128
      const length = bits === undefined ? most : Number(bits)
      if (!/^\d+$/.test(bits ?? '0') || length > most) return undefined
      networks.addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6')
    } else if (bits === undefined && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(address)) names.add(address)
    else return undefined
  }
  return { names, networks }
}

export const isAllowedPrivate = (hosts: PrivateHosts, host: string, address: string): boolean =>
  hosts.names.has(host) || hosts.networks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
