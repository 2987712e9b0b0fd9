import type { GatewayAddress } from '#server/kernel/auth/gateway-address.ts'

/** What a person who is asked sees of an address of the gateway. */
export type GatewayTools = { agent: string; tools: readonly { name: string; description: string }[] }
type Read = (tenantId: string, address: GatewayAddress) => Promise<GatewayTools | undefined>

// Set once, at the start: agents and releases are other domains, which depend on this one.
let read: Read | undefined

export function registerGatewayTools(reader: Read): void {
  read = reader
}

/** The tools that are released at the address now; undefined if there are none. */
export async function gatewayTools(tenantId: string, address: GatewayAddress): Promise<GatewayTools | undefined> {
  if (read === undefined) throw new Error('The tools of the gateway are not registered.')
  return await read(tenantId, address)
}
