import { buffer } from 'node:stream/consumers'
import { fromBufferPromise } from 'yauzl'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { Report } from '#lib/verify/report.ts'
import { verifyArchive } from '#lib/verify/verify.ts'
import { until } from '#server/testing/until.ts'

/** What a reader of the service sees over HTTP. */
export type Reader = { baseUrl: string; externalId: string; token: string }

export type Seen = { status: number; text: string; json: JsonValue }

export async function ask({ baseUrl, token }: Reader, path: string, body?: JsonObject): Promise<Seen> {
  const response = await fetch(new URL(path, baseUrl), {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return { status: response.status, text, json: isJson ? JSON.parse(text) : null }
}

/** A query of the API. `json` is its output, or the error's body. */
export async function query(reader: Reader, name: string, input: JsonObject): Promise<Seen> {
  const seen = await ask(reader, `/v1/${name}?input=${encodeURIComponent(JSON.stringify({ json: input }))}`)
  return seen.status === 200 ? { ...seen, json: inside(seen.json, 'result', 'data', 'json') } : seen
}

/** The member of an object that the path names; null if one is missing. */
export const inside = (value: JsonValue, ...path: string[]): JsonValue =>
  path.reduce<JsonValue>((at, name) => (isJsonObject(at) ? (at[name] ?? null) : null), value)

export const itemsOf = (value: JsonValue): JsonValue[] => {
  const items = inside(value, 'items')
  return Array.isArray(items) ? items : []
}

/** The end of an export: what it says, and the archive with the verifier's report if there is one. */
export type Exported = {
  status: string
  message: string
  archive: { report: Report; files: Map<string, Buffer> } | undefined
}

const dayMs = 86_400_000

/** Requests an export from three days ago until tomorrow, waits for its end, and verifies the archive as a reader does. */
export async function exported(reader: Reader, mostMs = 20_000): Promise<Exported> {
  const asked = await ask(reader, '/v1/evidence/export-jobs', {
    startDate: new Date(Date.now() - 3 * dayMs).toISOString(),
    endDate: new Date(Date.now() + dayMs).toISOString(),
    includeProofs: true,
  })
  if (asked.status !== 202) return { status: `refused with ${asked.status}`, message: asked.text, archive: undefined }
  const job = `/v1/evidence/factory/jobs/${String(inside(asked.json, 'exportId'))}`
  // A worker repeats what fails for another reason than a change, until the time limit of the export.
  const ended = await until(
    async () => {
      const { json } = await ask(reader, job)
      return inside(json, 'endedAt') === null ? undefined : json
    },
    'the export ends',
    mostMs,
  ).catch((error: unknown) => `${error}`)
  if (typeof ended === 'string') return { status: 'unfinished', message: ended, archive: undefined }
  const status = String(inside(ended, 'status'))
  const message = String(inside(ended, 'error', 'message'))
  if (!status.startsWith('completed')) return { status, message, archive: undefined }
  const response = await fetch(new URL(`${job}/download`, reader.baseUrl), {
    headers: { authorization: `Bearer ${reader.token}` },
  })
  if (!response.ok) return { status: `download refused with ${response.status}`, message, archive: undefined }
  const bytes = Buffer.from(await response.arrayBuffer())
  const report = await verifyArchive(new Blob([bytes]), {
    published: async ({ heads: { seals, open } }) => {
      const known = new URLSearchParams()
      if (seals !== undefined) known.set('seals', String(seals.size))
      if (open !== undefined) {
        known.set('day', open.origin.slice(-10))
        known.set('size', String(open.size))
      }
      const path = `/.well-known/countersign/${reader.externalId}/log-keys.json?${known}`
      return (await ask(reader, path)).json
    },
  })
  return { status, message, archive: { report, files: await filesOf(bytes) } }
}

async function filesOf(bytes: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  const archive = await fromBufferPromise(bytes)
  for await (const entry of archive.eachEntry())
    files.set(
      entry.fileName.slice(entry.fileName.indexOf('/') + 1),
      await buffer(await archive.openReadStreamPromise(entry)),
    )
  return files
}
