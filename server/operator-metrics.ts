import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Config } from '#server/kernel/config.ts'
import { expositionType } from '#server/kernel/observe/exposition.ts'
import { exposeMeters } from '#server/kernel/observe/meters.ts'

type Settings = Pick<Config, 'metricsPort' | 'metricsToken'>

/** Whether the request is for the operator's metrics on the port of the API: only with a token, and without a port of their own. */
export const isMetricsPath = (path: string, { metricsPort, metricsToken }: Settings): boolean =>
  path === '/metrics' && metricsToken !== undefined && metricsPort === undefined

/** Answers with the metrics of this process. With METRICS_TOKEN it wants that token. */
export async function serveMetrics(
  req: IncomingMessage,
  res: ServerResponse,
  { metricsToken }: Settings,
): Promise<void> {
  if (req.method !== 'GET' && req.method !== 'HEAD') return end(res, 405, 'Use GET.', { allow: 'GET, HEAD' })
  if (metricsToken !== undefined && !isToken(req.headers.authorization, metricsToken))
    return end(res, 401, 'Send the token in METRICS_TOKEN as a bearer token.', { 'www-authenticate': 'Bearer' })
  const text = await exposeMeters()
  res.writeHead(200, { 'content-type': expositionType, 'cache-control': 'no-store' })
  res.end(req.method === 'HEAD' ? undefined : text)
}

/** Opens the port of METRICS_PORT, which answers from the start on, also while the process migrates or stops. */
export async function openMetricsPort(port: number, settings: Settings): Promise<() => Promise<void>> {
  const server = createServer((req, res) => {
    const [path] = (req.url ?? '').split('?', 1)
    if (path !== '/metrics') return end(res, 404, 'The metrics are at /metrics.')
    return void serveMetrics(req, res, settings)
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, resolve))
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
}

function isToken(header: string | undefined, token: string): boolean {
  const given = /^bearer (\S+)$/i.exec(header ?? '')?.[1]
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return given !== undefined && timingSafeEqual(digest(given), digest(token))
}

function end(res: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  res.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(`${text}\n`)
}
