import { loadWitnesses } from '#server/audit/witnesses/witnesses.ts'
import { loadTrustedIssuers } from '#server/kernel/auth/issuers/trusted.ts'
import { type Config, ConfigError } from '#server/kernel/config.ts'
import { loadMcpServers } from '#server/kernel/mcp-servers.ts'
import { loadSinks } from '#server/siem/sinks.ts'
import { type Finding, failed, ok, warning } from './findings.ts'

/** The host is of this machine alone. */
export const isLocal = (url: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname)

/** The settings of the process, and the files that they name. Their syntax has been checked by loadConfig. */
export async function checkSettings(config: Config): Promise<Finding[]> {
  const found: Finding[] = []
  for (const load of [
    () => loadTrustedIssuers(config),
    () => loadWitnesses(config),
    () => loadSinks(config),
    () => (config.mcpServersFile === undefined ? Promise.resolve({}) : loadMcpServers(config.mcpServersFile)),
  ])
    try {
      await load()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      found.push(
        failed('Settings', error.message.replaceAll('\n', ' '), 'Correct the file; the server does not start.'),
      )
    }
  if (!isLocal(config.baseUrl) && config.baseUrl.startsWith('http:'))
    found.push(
      failed(
        'Settings',
        `BASE_URL is ${config.baseUrl}: browsers allow passkeys and bound tokens only over https.`,
        'Put a proxy with a certificate in front, and set BASE_URL to its https address.',
      ),
    )
  if (!isLocal(config.baseUrl) && config.seedDemo)
    found.push(
      warning(
        'Settings',
        'SEED_DEMO is true: an empty database gets the demo with its accounts.',
        'Set SEED_DEMO=false before people use the server.',
      ),
    )
  if (!isLocal(config.baseUrl) && config.trustedProxies.length === 0)
    found.push(
      warning(
        'Settings',
        'TRUSTED_PROXIES is not set: everyone behind a proxy shares its address and the limits for it.',
        'Set it to the address of the proxy as the server sees it.',
      ),
    )
  if (config.masterKeyPrevious !== undefined)
    found.push(
      warning(
        'Settings',
        'MASTER_KEY_PREVIOUS is set.',
        'Remove it when all processes use the new key and have started once.',
      ),
    )
  return found.length > 0 ? found : [ok('Settings', `valid; the address is ${config.baseUrl}`)]
}
