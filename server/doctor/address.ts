import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { whyPortBlocked } from '#lib/text/blocked-port.ts'
import { certificateFlaw } from '#lib/text/tls-reason.ts'
import type { Config } from '#server/kernel/config.ts'
import { loadMasterKeys, masterKeyFile } from '#server/kernel/keys/master-key.ts'
import { databaseMark, operatorHeader, operatorProof } from '#server/kernel/net/operator-proof.ts'
import { type Finding, failed, ok, reasonOf, warning } from './findings.ts'
import { checkProxies, claims, Seen } from './proxies.ts'
import { isLocal } from './settings.ts'

const patienceMs = 5000

const Ready = z
  .object({ status: z.string().optional(), seen: Seen.optional() })
  .catch({ status: undefined, seen: undefined })

/** The database of these settings as `identityOf` tells it; `stopped` for the embedded one while it does not run. */
export type Database = { identity: string } | 'stopped' | undefined

/**
 * Whether BASE_URL reaches a running server of this installation, and what the proxies in front of it do with WebSockets and addresses.
 * `database` is undefined if it could not be read.
 */
export async function checkAddress(config: Config, database: Database): Promise<Finding[]> {
  const { baseUrl } = config
  const key = await masterKey(config)
  const ready = await fetch(`${baseUrl}/v1/health/ready`, {
    redirect: 'manual',
    headers: key === undefined ? {} : { ...claims, [operatorHeader]: operatorProof(key, Date.now()) },
    signal: AbortSignal.timeout(patienceMs),
  }).catch((error: Error) => (error.cause instanceof Error ? error.cause : error))
  if (!(ready instanceof Response)) return [notReached(baseUrl, ready)]
  const { status, seen } = Ready.parse(await ready.json().catch(() => ({})))
  if (status !== 'ready')
    return [
      failed(
        'Address',
        `${baseUrl} answers ${ready.status}${status === undefined ? ', but it is not Countersign' : `, ${status}`}.`,
        'Check the address in the proxy, and the log of the server.',
      ),
    ]
  const found = [
    ok('Address', `${baseUrl} reaches a server that is ready`),
    seen === undefined
      ? warning(
          'Address',
          'the server does not say what it saw of this request: it has another master key, as another installation would, or an older version. The headers of proxies are not checked.',
          'See whether BASE_URL is the address of this installation, and run this command with the version and the master key of the server.',
        )
      : checkProxies(seen, isLocal(baseUrl)),
    ...(key === undefined || seen?.database === undefined ? [] : sameDatabase(seen.database, key, database)),
  ]
  const socket = new WebSocket(`${baseUrl.replace(/^http/, 'ws')}/v1?connectionParams=1`, {
    handshakeTimeout: patienceMs,
  })
  try {
    await once(socket, 'open')
    return [...found, ok('Address', 'WebSockets pass')]
  } catch (error) {
    return [
      ...found,
      failed(
        'Address',
        `WebSockets don't pass (${reasonOf(error)}): the console shows nothing live.`,
        'Pass the headers Upgrade and Connection: docs/deploy has nginx and Caddy.',
      ),
    ]
  } finally {
    socket.terminate()
  }
}

/** A copy that a backup was restored to has the keys of the original, and would check the original at its address. */
function sameDatabase(mark: string, key: Uint8Array, database: Database): Finding[] {
  if (database === undefined) return []
  if (database !== 'stopped' && mark === databaseMark(key, database.identity))
    return [ok('Address', 'that server works on this database')]
  return [
    failed(
      'Address',
      database === 'stopped'
        ? 'that server works on another database: the one in DATA_DIR is not running.'
        : 'that server works on another database than these settings name.',
      'Set BASE_URL to the address of this installation; a restored copy has one of its own.',
    ),
  ]
}

/** A server that is not there may only not have been started. A certificate that fails here fails for others, too. */
function notReached(baseUrl: string, error: Error): Finding {
  if (whyPortBlocked(baseUrl) !== undefined)
    return failed('Address', `${baseUrl} has a port that browsers and fetch refuse.`, 'Use another port.')
  const flaw = certificateFlaw(error)
  if (flaw === undefined)
    return warning(
      'Address',
      `${baseUrl} does not answer (${reasonOf(error)}).`,
      'Start the server, and run this command again.',
    )
  const { text, advice } = flaws[flaw]
  return failed('Address', `${text} (${baseUrl}: ${reasonOf(error)}).`, advice)
}

const flaws = {
  untrusted: {
    text: 'The certificate is not trusted',
    advice:
      'Name the CA in NODE_EXTRA_CA_CERTS, here and where MCP clients and exporters run, and install it in browsers, or use a public CA.',
  },
  expired: { text: 'The certificate has expired', advice: 'Renew it.' },
  'not yet valid': { text: 'The certificate is not valid yet', advice: 'Check the clocks here and where it was made.' },
  'other name': {
    text: 'The certificate is for another host name',
    advice: 'Get one for the host of BASE_URL, or set BASE_URL to a name in it.',
  },
}

/** The key that the server uses, without creating one. */
async function masterKey(config: Config): Promise<Uint8Array | undefined> {
  if (config.masterKey === undefined && !existsSync(masterKeyFile(config.dataDir))) return undefined
  const [key] = await loadMasterKeys(config).catch(() => [])
  return key
}
