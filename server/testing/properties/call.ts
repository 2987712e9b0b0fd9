import { text } from 'node:stream/consumers'
import { fromBufferPromise } from 'yauzl'
import type { CatalogEntry } from '#server/catalog/operations.ts'

export type Input = Record<string, unknown>

export type ProofAnswer = {
  /** For a stream that begins with an error, the status of the error. */
  status: number
  /** Countersign's error code, from either form of an error body. */
  reason: string | undefined
  /** The permission that an error names as missing. */
  permission: string | undefined
  headers: Headers
  text: string
}

/** Returns an operation's name in tables and messages: `POST /v1/agents.create`, `GET /v1/policies/:policyId/versions`. */
export const addressOf = ({ method, path }: Pick<CatalogEntry, 'method' | 'path'>): string => `${method} ${path}`

/** A path parameter, and its pattern if its value may contain slashes. */
const parameter = /:(\w+)(\{\.\+\})?/g

/** Returns the names of a route's path parameters. */
export const paramsOf = ({ path }: Pick<CatalogEntry, 'path'>, input: unknown): Record<string, string> => {
  const named = { ...Object(input) }
  return Object.fromEntries(
    [...path.matchAll(parameter)].map(([, name = '']) => [name, String(named[name] ?? 'not-an-id')]),
  )
}

/** Input that no operation accepts. In a path that names the tenant it is the caller's: another one is refused before the permission is checked. */
export const nonsenseFor = ({ path }: Pick<CatalogEntry, 'path'>, { externalId }: { externalId: string }): Input => ({
  'no such field': 1,
  ...(path.includes(':externalId') ? { externalId } : {}),
})

/** Returns the HTTP request of one call. The path parameters are taken from `input`; the rest is the query string or body. */
export function requestOf(entry: CatalogEntry, input: unknown): { path: string; init: RequestInit } {
  const post = (path: string, body: unknown) => ({
    path,
    init: { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  })
  if (entry.transport === 'procedure') {
    if (entry.method === 'POST') return post(entry.path, { json: input })
    const query = input === undefined ? '' : `?input=${encodeURIComponent(JSON.stringify({ json: input }))}`
    return { path: `${entry.path}${query}`, init: {} }
  }
  const params = paramsOf(entry, input)
  const path = entry.path.replaceAll(parameter, (_all, name: string, deep?: string) => {
    const value = encodeURIComponent(params[name] ?? '')
    return deep === undefined ? value : value.replaceAll('%2F', '/')
  })
  const rest = Object.fromEntries(Object.entries({ ...Object(input) }).filter(([key]) => !(key in params)))
  if (entry.method === 'POST') return post(path, rest)
  const query = new URLSearchParams(Object.entries(rest).map(([key, value]) => [key, String(value)])).toString()
  return { path: query === '' ? path : `${path}?${query}`, init: {} }
}

/** Calls an operation over HTTP. For a stream, reads the first event and disconnects. */
export async function call(
  baseUrl: string,
  entry: CatalogEntry,
  input: unknown,
  headers: Record<string, string | undefined> = {},
  signal?: AbortSignal,
): Promise<ProofAnswer> {
  const { path, init } = requestOf(entry, input)
  const sent = new Headers(init.headers)
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) sent.set(name, value)
  const response = await fetch(new URL(path, baseUrl), {
    ...init,
    headers: sent,
    redirect: 'manual',
    ...(signal === undefined ? {} : { signal }),
  })
  return await readAnswer(response)
}

export async function readAnswer(response: Response): Promise<ProofAnswer> {
  const type = response.headers.get('content-type') ?? ''
  const body = await textOf(type, response)
  const error = errorIn(type, body)
  return {
    status: error?.status ?? response.status,
    reason: error?.reason,
    permission: error?.permission,
    headers: response.headers,
    text: body,
  }
}

async function textOf(type: string, response: Response): Promise<string> {
  if (type.startsWith('text/event-stream')) return await firstEvent(response)
  if (type === 'application/zip') return await archiveText(Buffer.from(await response.arrayBuffer()))
  return await response.text()
}

/** Returns the names and contents of an archive, because a search does not find texts in compressed bytes. */
async function archiveText(bytes: Buffer): Promise<string> {
  const archive = await fromBufferPromise(bytes)
  const parts: string[] = []
  for await (const entry of archive.eachEntry())
    parts.push(entry.fileName, await text(await archive.openReadStreamPromise(entry)))
  return parts.join('\n')
}

/** Returns the first event after the greeting. A blank line ends each event. */
async function firstEvent(response: Response): Promise<string> {
  let read = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    read += decoder.decode(chunk, { stream: true })
    if (/^(event: serialized-error|id: ).*\n(.*\n)*\n/m.test(read)) break
  }
  return read
}

type ErrorBody = { code?: string; permission?: string; httpStatus?: number; reason?: string }

function errorIn(type: string, text: string): { status?: number; reason?: string; permission?: string } | undefined {
  const failed = /^event: serialized-error\ndata: (.*)$/m.exec(text)?.[1]
  if (failed === undefined && !/\/(.+\+)?json\b/.test(type)) return undefined
  const body = JSON.parse(failed ?? text) as { error?: { json?: { data?: ErrorBody } } } & {
    json?: { data?: ErrorBody }
  } & ErrorBody
  const inner = body.error?.json?.data ?? body.json?.data
  const status = failed === undefined ? undefined : inner?.httpStatus
  // A refusal of OTLP has its code under another name.
  const reason = inner?.reason ?? body.code ?? (typeof body.error === 'string' ? body.reason : undefined)
  const permission = inner?.permission ?? body.permission
  return {
    ...(status === undefined ? {} : { status }),
    ...(reason === undefined ? {} : { reason }),
    ...(permission === undefined ? {} : { permission }),
  }
}
