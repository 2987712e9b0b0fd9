import { gatewayPath } from '#lib/paths.ts'
import { EnvironmentName } from '#lib/schemas/common.ts'
import { textFlaw } from '#server/kernel/input.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** The parts of `/v1/mcp/t/<external id>/<agent>/<server>`, and of `?environment=<name>` if the address has it. */
export type GatewayAddress = { externalId: string; agent: string; server: string; environment?: string }

const pattern = /^\/v1\/mcp\/t\/([^/]+)\/([^/]+)\/([^/]+)$/
const metadata = '/.well-known/oauth-protected-resource'

/** The parts of a path, and of its query, at which the gateway serves one tenant; undefined for any other path. */
export function gatewayAt(path: string, query = ''): GatewayAddress | undefined {
  const match = pattern.exec(path)
  if (match === null) return undefined
  try {
    const [externalId = '', agent = '', server = ''] = match.slice(1).map(decodeURIComponent)
    const named = { externalId, agent, server }
    if (Object.values(named).some((part) => textFlaw(part) !== undefined)) return undefined
    // The gateway refuses what is not a name, so it does not belong to an address.
    const environment = EnvironmentName.safeParse(new URLSearchParams(query).get('environment')).data
    return environment === undefined ? named : { ...named, environment }
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

const pathOf = ({ externalId, agent, server, ...search }: GatewayAddress): string =>
  gatewayPath(externalId, agent, server, search)

/** The address in its one spelling, which is also the audience of the tokens for it (RFC 8707). */
export const gatewayUrl = (address: GatewayAddress): string => `${runtime().config.baseUrl}${pathOf(address)}`

/** Where a client that was refused learns how to sign in (RFC 9728, section 3.1: inserted before the path and query). */
export const gatewayMetadataUrl = (address: GatewayAddress): string =>
  `${runtime().config.baseUrl}${metadata}${pathOf(address)}`

/**
 * The addresses whose tokens are accepted at this one: itself, and the same without the environment, because a token for that is for
 * every environment.
 */
export const acceptedAt = (address: GatewayAddress): string[] => {
  const { environment, ...everywhere } = address
  return environment === undefined ? [gatewayUrl(address)] : [gatewayUrl(address), gatewayUrl(everywhere)]
}

/** The parts of a gateway address of this server; undefined for anything else, and for another spelling of one. */
export function gatewayOf(resource: string): GatewayAddress | undefined {
  const { baseUrl } = runtime().config
  if (!resource.startsWith(baseUrl)) return undefined
  const [path = '', query] = resource.slice(baseUrl.length).split('?', 2)
  const address = gatewayAt(path, query)
  return address !== undefined && gatewayUrl(address) === resource ? address : undefined
}
