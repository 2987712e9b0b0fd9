import { gatewayPath } from '#lib/paths.ts'
import { textFlaw } from '#server/kernel/input.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** The parts of `/v1/mcp/t/<external id>/<agent>/<server>`. */
export type GatewayAddress = { externalId: string; agent: string; server: string }

const pattern = /^\/v1\/mcp\/t\/([^/]+)\/([^/]+)\/([^/]+)$/
const metadata = '/.well-known/oauth-protected-resource'

/** The parts of a path at which the gateway serves one tenant; undefined for any other path. */
export function gatewayAt(path: string): GatewayAddress | undefined {
  const match = pattern.exec(path)
  if (match === null) return undefined
  try {
    const [externalId = '', agent = '', server = ''] = match.slice(1).map(decodeURIComponent)
    const named = { externalId, agent, server }
    return Object.values(named).some((part) => textFlaw(part) !== undefined) ? undefined : named
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

const pathOf = ({ externalId, agent, server }: GatewayAddress): string => gatewayPath(externalId, agent, server)

/** The address in its one spelling, which is also the audience of the tokens for it (RFC 8707). */
export const gatewayUrl = (address: GatewayAddress): string => `${runtime().config.baseUrl}${pathOf(address)}`

/** Where a client that was refused learns how to sign in (RFC 9728, section 3.1: the path is inserted before the address's). */
export const gatewayMetadataUrl = (address: GatewayAddress): string =>
  `${runtime().config.baseUrl}${metadata}${pathOf(address)}`

/** The parts of a gateway address of this server; undefined for anything else, and for another spelling of one. */
export function gatewayOf(resource: string): GatewayAddress | undefined {
  const { baseUrl } = runtime().config
  const address = resource.startsWith(baseUrl) ? gatewayAt(resource.slice(baseUrl.length)) : undefined
  return address !== undefined && gatewayUrl(address) === resource ? address : undefined
}
