import { createHash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payload, reason, startApi, type TestApi } from '#server/testing/api.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { until } from '#server/testing/until.ts'

// Files are returned byte for byte, stored once per tenant and digest, and never rendered.

let api: TestApi
let sender: string
let reader: string
beforeAll(async () => {
  api = await startApi()
  sender = await api.client('ci-pipeline')
  reader = await api.person('maria')
}, 180_000)
afterAll(() => api.close())

type Stored = { id: string; digest: string; bytes: number; name: string; mediaType: string }
const post = (body: BodyInit, name = 'a file', type = 'text/html', token = sender) =>
  api.request(token, `/v1/files?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  })
const contents = async () =>
  (await readdir(join(dirname(api.gate), 'data', 'files'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('a file is returned unchanged, as an attachment that no browser renders', async () => {
  const bytes = randomBytes(3_000_000)
  const answer = await post(bytes, 'Übersicht "2026".html')
  expect(answer.status).toBe(201)
  const stored = answer.body as Stored
  expect(stored).toMatchObject({ bytes: bytes.length, digest: `sha256:${sha256(bytes)}`, mediaType: 'text/html' })
  const response = await fetch(new URL(`/v1/files/${stored.id}`, api.baseUrl), {
    headers: { authorization: `Bearer ${reader}` },
  })
  expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(sha256(bytes))
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': "attachment; filename*=UTF-8''%C3%9Cbersicht%20%222026%22.html",
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  })
})

test('uploading the same content twice creates two files with the same bytes', async () => {
  const [first, second] = [(await post('twice')).body as Stored, (await post('twice', 'again')).body as Stored]
  expect(first.id).not.toBe(second.id)
  expect(first.digest).toBe(second.digest)
  expect((await contents()).filter((name) => `sha256:${name}` === first.digest)).toHaveLength(1)
})

test('more than 100 MiB is 413, announced or not, and leaves no data', async () => {
  const chunk = new Uint8Array(1024 * 1024)
  let sent = 0
  const endless = new ReadableStream({
    pull(controller) {
      sent += 1
      if (sent > 101) controller.close()
      else controller.enqueue(chunk)
    },
  })
  for (const body of [endless, new Uint8Array(100 * 1024 * 1024 + 1)]) {
    expect(await post(body)).toMatchObject({ status: 413 })
  }
  expect((await post(new Uint8Array(100 * 1024 * 1024))).status).toBe(201)
  expect((await contents()).filter((name) => name.endsWith('.part'))).toEqual([])
}, 60_000)

test('an execution takes a file as input, describes it by digest, and keeps it', async () => {
  const agentId = await releaseAgent(api, 'files', {
    steps: [{ id: 'ok', wait: { input: 'go' } }],
    tools: {},
    more: { inputs: [{ name: 'go' }] },
  })
  const file = (await post('an invoice', 'invoice.pdf', 'application/pdf')).body as Stored
  const start = (id: string) =>
    api.mutate(reader, 'executions.execute', { agentId, environment: 'production', input: { doc: { $file: id } } })
  const missing = await start('01a1f934-0000-7000-8000-000000000000')
  expect([missing.status, reason(missing)]).toEqual([400, 'bad_request'])
  const { executionId } = payload<{ executionId: string }>(await start(file.id))
  const seen = payload<{ input: unknown }>(await api.query(reader, 'executions.get', { id: executionId }))
  const { id, digest, bytes, name, mediaType } = file
  expect(seen.input).toEqual({ doc: { $file: id, digest, bytes, name, mediaType } })

  // The execution's output also names the file.
  await until(async () => {
    const { status } = payload<{ status: string }>(await api.query(reader, 'executions.get', { id: executionId }))
    return status === 'waiting_input' ? true : undefined
  }, 'the execution waits')
  await api.request(sender, '/v1/input-events', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': executionId },
    body: JSON.stringify({ correlation: { executionId, input: 'go' }, data: { $file: id } }),
  })
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  const uses = await until(async () => {
    const { rows } = await owner.query('select role from file_uses where file_id = $1 order by role', [id])
    return rows.length === 2 ? rows : undefined
  }, 'both uses are recorded')
  expect(uses).toEqual([{ role: 'input' }, { role: 'output' }])
  await owner.end()
})

test('another tenant gets 404 for the id', async () => {
  const { id } = (await post('ours')).body as Stored
  const foreign = await api.request(await api.person('jonas', 'globex'), `/v1/files/${id}`)
  expect([foreign.status, reason(foreign)]).toEqual([404, 'not_found'])
  const refused = await post('x', 'x', 'text/plain', await api.person('vera'))
  expect([refused.status, reason(refused)]).toEqual([403, 'forbidden'])
})
