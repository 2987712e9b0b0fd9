/** The configuration that the server gives a page at run time, so that one build serves any host. */
export type RuntimeConfig = {
  /** Public address of the identity provider, without a slash at the end; realms are paths below it. */
  authUrl: string
  /** Version of the product, as in package.json. */
  version: string
  /** Present if the provider at `authUrl` is this server's, which has a page for changing a password. */
  passwords?: true
}

/** The id of the JSON element that server/shell.ts writes into every page. */
export const RUNTIME_CONFIG_ID = 'countersign-config'

/**
 * Reads the element's text. Without an element (the development server writes none) the provider is the page's own origin.
 * Throws for any other text.
 */
export function parseRuntimeConfig(text: string | null | undefined, origin: string): RuntimeConfig {
  if (!text) return { authUrl: origin, version: 'development' }
  const value: unknown = JSON.parse(text)
  if (
    typeof value === 'object' &&
    value !== null &&
    'authUrl' in value &&
    typeof value.authUrl === 'string' &&
    'version' in value &&
    typeof value.version === 'string'
  ) {
    const passwords = 'passwords' in value && value.passwords === true ? { passwords: true as const } : {}
    return { authUrl: value.authUrl, version: value.version, ...passwords }
  }
  throw new Error(`The page's ${RUNTIME_CONFIG_ID} element lacks authUrl or version.`)
}
