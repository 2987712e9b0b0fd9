import type { Calls } from './api.ts'

/** One JSON-RPC message as it came. */
export type Message = {
  id?: number
  method?: string
  params?: Record<string, unknown>
  result?: Record<string, unknown>
  error?: { code: number; message: string; data?: Record<string, unknown> }
}

export const request = (id: number, method: string, params: Record<string, unknown> = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})

/** Sends one message to an address of the gateway. Returns the status, the headers and every message of the answer. */
export async function sendRaw(
  api: Pick<Calls, 'request'>,
  { token, path }: { token: string; path: string },
  message: unknown,
  headers: Record<string, string> = {},
) {
  const answer = await api.request(token, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(message),
  })
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  const lines = isStream
    ? answer.text.split('\n').flatMap((line) => /^data: (.+)$/.exec(line)?.[1] ?? [])
    : [answer.text].filter((text) => text !== '')
  const messages = lines.flatMap((line): Message[] => [JSON.parse(line)].flat())
  return { status: answer.status, headers: answer.headers, messages }
}

/** A request of 2026-07-28, which states in itself what its client can do, with its headers. */
export function modernRequest(method: string, params: Record<string, unknown>, capabilities: object) {
  const _meta = {
    ...Object(params._meta),
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  const name = params.name ?? params.taskId
  const headers: Record<string, string> = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
  }
  return { message: request(1, method, { ...params, _meta }), headers }
}

export function sendModern(
  api: Pick<Calls, 'request'>,
  to: { token: string; path: string },
  method: string,
  params: Record<string, unknown> = {},
  capabilities: object = {},
) {
  const { message, headers } = modernRequest(method, params, capabilities)
  return sendRaw(api, to, message, headers)
}
