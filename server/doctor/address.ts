import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { Config } from '#server/kernel/config.ts'
import { type Finding, failed, ok, reasonOf, warning } from './findings.ts'

const patienceMs = 5000

/** Whether BASE_URL reaches a running server, through whatever proxies are in front of it, and passes WebSockets. */
export async function checkAddress({ baseUrl }: Config): Promise<Finding[]> {
  const ready = await fetch(`${baseUrl}/v1/health/ready`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(patienceMs),
  }).catch((error: unknown) => reasonOf((error as Error).cause ?? error))
  if (typeof ready === 'string')
    return [
      warning('Address', `${baseUrl} does not answer (${ready}).`, 'Start the server, and run this command again.'),
    ]
  const status = await ready.json().then(
    (body: unknown) => (body as { status?: unknown }).status,
    () => undefined,
  )
  if (status !== 'ready')
    return [
      failed(
        'Address',
        `${baseUrl} answers ${ready.status}${typeof status === 'string' ? `, ${status}` : ', but it is not Countersign'}.`,
        'Check the address in the proxy, and the log of the server.',
      ),
    ]
  const found = [ok('Address', `${baseUrl} reaches a server that is ready`)]
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
