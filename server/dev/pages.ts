import { type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { configJson, headElements } from '#lib/page-head.ts'
import { type OpenPages, shellSettings } from '../console.ts'
import { fixedHeaders } from '../shell/policy.ts'

/** The paths from which the development server sends its updates. */
const UPDATES = /^\/_next\/(hmr|webpack-hmr)(\?|$)/

/**
 * Pages from `next dev` at `origin`, under this server's origin. Only server/dev.ts loads this file, so production
 * never runs it.
 */
export function developmentPages(origin: string): OpenPages {
  return (config) => {
    const settings = shellSettings(config)
    const head = headElements(configJson(settings.config))
    const headers = {
      ...fixedHeaders(settings),
      'content-security-policy': developmentPolicy(settings.connectOrigins),
    }
    return {
      request: (req, res) =>
        forward(origin, req, res, (answer) => answer.replace('<head>', () => `<head>${head}`), headers),
      upgrade(req, socket, first) {
        if (!UPDATES.test(req.url ?? '')) return 404
        tunnel(origin, req, socket, first)
        return undefined
      },
    }
  }
}

/** `next dev` writes inline scripts without a nonce, compiles with eval and shows its errors through innerHTML. */
function developmentPolicy(connectOrigins: readonly string[]): string {
  return [
    "default-src 'self'",
    "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "worker-src 'self' blob:",
    ["connect-src 'self' ws:", ...connectOrigins].join(' '),
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function forward(
  origin: string,
  req: IncomingMessage,
  res: ServerResponse,
  change: (html: string) => string,
  headers: Record<string, string>,
): void {
  const call = request(new URL(origin), {
    path: req.url,
    method: req.method,
    // Uncompressed, so that the settings can be inserted into the document.
    headers: { ...req.headers, 'accept-encoding': 'identity' },
  })
  call.on('response', async (answer) => {
    const { 'content-length': _length, 'transfer-encoding': _coding, ...own }: IncomingHttpHeaders = answer.headers
    res.writeHead(answer.statusCode ?? 502, { ...own, ...headers })
    if (answer.headers['content-type']?.startsWith('text/html')) res.end(change(await text(answer)))
    else answer.pipe(res)
  })
  call.on('error', () =>
    res.headersSent ? res.destroy() : res.writeHead(502, headers).end('next dev is not responding.'),
  )
  req.pipe(call)
}

function tunnel(origin: string, req: IncomingMessage, socket: Duplex, first: Buffer): void {
  const call = request(new URL(origin), { path: req.url, headers: req.headers })
  const end = () => socket.destroy()
  socket.on('error', () => call.destroy())
  call.on('error', end).on('response', end)
  call.on('upgrade', (answer, other, head) => {
    const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`)
    socket.write(head)
    other.write(first)
    other.on('error', end).on('close', end).pipe(socket)
    socket.on('close', () => other.destroy()).pipe(other)
  })
  call.end()
}
