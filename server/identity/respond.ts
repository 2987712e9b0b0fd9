import type { ServerResponse } from 'node:http'
import { type RenderedPage, securityHeaders } from '#server/identity/pages/page.ts'

export function sendPage(
  res: ServerResponse,
  status: number,
  page: RenderedPage,
  headers: Record<string, string> = {},
) {
  res.writeHead(status, { ...page.headers, ...headers }).end(page.text)
}

export function sendJson(res: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) {
  const common = { ...securityHeaders, 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
  res.writeHead(status, { ...common, ...headers }).end(JSON.stringify(body))
}
