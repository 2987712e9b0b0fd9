import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { WebSocket } from 'ws'
import { z } from 'zod'
import type { Config } from '#server/kernel/config.ts'
import { loadMasterKeys, masterKeyFile } from '#server/kernel/keys/master-key.ts'
import { operatorHeader, operatorProof } from '#server/kernel/net/operator-proof.ts'
import { type Finding, failed, ok, reasonOf, warning } from './findings.ts'
import { checkProxies, claims, Seen } from './proxies.ts'
import { isLocal } from './settings.ts'

const patienceMs = 5000

const Ready = z
  .object({ status: z.string().optional(), seen: Seen.optional() })
  .catch({ status: undefined, seen: undefined })

/** Whether BASE_URL reaches a running server, and what the proxies in front of it do with WebSockets and addresses. */
export async function checkAddress(config: Config): Promise<Finding[]> {
  const { baseUrl } = config
  const key = await masterKey(config)
  const ready = await fetch(`${baseUrl}/v1/health/ready`, {
    redirect: 'manual',
    headers: key === undefined ? {} : { ...claims, [operatorHeader]: operatorProof(key, Date.now()) },
    signal: AbortSignal.timeout(patienceMs),
  }).catch((error: unknown) => reasonOf((error as Error).cause ?? error))
  if (typeof ready === 'string')
    return [
      warning('Address', `${baseUrl} does not answer (${ready}).`, 'Start the server, and run this command again.'),
    ]
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
          'the server does not say what it saw of this request, so the headers of proxies are not checked.',
          'Run this command with the version and the master key of the server.',
        )
      : checkProxies(seen, isLocal(baseUrl)),
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

/** The key that the server uses, without creating one. */
async function masterKey(config: Config): Promise<Uint8Array | undefined> {
  if (config.masterKey === undefined && !existsSync(masterKeyFile(config.dataDir))) return undefined
  const [key] = await loadMasterKeys(config).catch(() => [])
  return key
}
