import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payload, reason, startApi, type TestApi } from '#server/testing/api.ts'
import { aroundNow } from '#server/testing/exports.ts'
import { extractArchive } from '#server/testing/extract.ts'
import { registerRefundAgent } from '#server/testing/refund-agent.ts'
import { until } from '#server/testing/until.ts'

// The four evidence routes as an auditor's script calls them, and the checks of the archive's own README.

let api: TestApi
let folder: string
beforeAll(async () => {
  api = await startApi()
  folder = await mkdtemp(join(tmpdir(), 'countersign-evidence-'))
}, 180_000)
afterAll(async () => {
  await api.close()
  await rm(folder, { recursive: true, force: true })
})

const create = (token: string | undefined, body: unknown, headers: Record<string, string> = {}) =>
  api.request(token, '/v1/evidence/export-jobs', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

test('an export of today is polled, downloaded and verified with sha256sum and openssl alone', async () => {
  const auditor = await api.client('audit-export')
  // The demo's execution has reached its approval, so all records that the archive should contain exist.
  await until(async () => {
    const { items } = payload<{ items: unknown[] }>(await api.query(auditor, 'approvals.getPending'))
    return items.length > 0 ? true : undefined
  }, 'the demo waits')
  const created = await create(auditor, aroundNow())
  expect(created.status).toBe(202)
  const { exportId, pollTimeoutMs } = created.body as { exportId: string; pollTimeoutMs: number }
  expect(pollTimeoutMs).toBe(300_000)
  const path = `/v1/evidence/factory/jobs/${exportId}`
  const job = await until(async () => {
    const answer = await api.request(auditor, path)
    const { status } = answer.body as { status: string }
    return ['completed', 'completed_with_omissions', 'failed', 'canceled'].includes(status) ? answer.body : undefined
  }, 'the export ended')
  // Only what every archive without raw payloads masks.
  const masked = { resource: expect.any(String), reason: 'masked' }
  expect(job).toMatchObject({ status: 'completed', omissions: [masked, masked, masked, masked, masked, masked] })

  const manifest = await api.request(auditor, `${path}/manifest`)
  expect(manifest.body).toMatchObject({ type: 'evidence-room-bundle-v1', exportId })
  const archive = await fetch(`${api.baseUrl}${path}/download`, { headers: { authorization: `Bearer ${auditor}` } })
  expect(archive.headers.get('content-type')).toBe('application/zip')
  expect(archive.headers.get('content-disposition')).toContain('attachment')
  const top = await extractArchive(Buffer.from(await archive.arrayBuffer()), join(folder, 'bundle'))
  expect(readFileSync(join(top, 'manifest.json'), 'utf8')).toBe(manifest.text)
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: top, encoding: 'utf8' })
  run('sha256sum', '--check', '--quiet', 'manifest-sha256.txt')
  run('sha256sum', '--check', '--quiet', 'tagmanifest-sha256.txt')
  const signature = ['-rawin', '-in', 'manifest.json', '-sigfile', 'seal/manifest.json.sig']
  expect(run('openssl', 'pkeyutl', '-verify', '-pubin', '-inkey', 'seal/seal.pub.pem', ...signature)).toContain(
    'Signature Verified Successfully',
  )
  const files = readdirSync(top, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(files.length).toBeGreaterThan(15)
  const telling = files.filter((file) =>
    /elif\.aydin@mail\.example|Elif Aydin/.test(readFileSync(join(file.parentPath, file.name), 'utf8')),
  )
  expect(telling.map((file) => file.name)).toEqual([])
}, 60_000)

async function finished(auditor: string, body: object) {
  const created = await create(auditor, body)
  expect([created.status, created.text]).toEqual([202, expect.any(String)])
  const path = `/v1/evidence/factory/jobs/${(created.body as { exportId: string }).exportId}`
  const job = await until(async () => {
    const { body } = await api.request(auditor, path)
    return (body as { endedAt: string | null }).endedAt === null
      ? undefined
      : (body as { status: string; sha256: string })
  }, 'the export ended')
  expect(job.status).toBe('completed')
  return { path, job }
}

test('curl resumes a download that was cut off, and the bytes have the digest of the job', async () => {
  const auditor = await api.client('audit-export')
  const { path, job } = await finished(auditor, aroundNow())
  const file = join(folder, 'resumed.zip')
  const curl = (...args: string[]) =>
    execFileSync('curl', ['-sS', '-H', `authorization: Bearer ${auditor}`, ...args, `${api.baseUrl}${path}/download`], {
      encoding: 'utf8',
    })
  curl('-r', '0-9999', '-o', file)
  expect(statSync(file).size).toBe(10_000)
  curl('-C', '-', '-o', file)
  expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(job.sha256)

  const { size } = statSync(file)
  const get = (headers: Record<string, string>, method = 'GET') =>
    fetch(`${api.baseUrl}${path}/download`, { method, headers: { authorization: `Bearer ${auditor}`, ...headers } })
  const head = await get({}, 'HEAD')
  expect([head.status, head.headers.get('content-length'), head.headers.get('accept-ranges')]).toEqual([
    200,
    String(size),
    'bytes',
  ])
  const etag = head.headers.get('etag') ?? ''
  expect(etag).toBe(`"sha256:${job.sha256}"`)
  const part = await get({ range: 'bytes=10-19', 'if-range': etag })
  expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${size}`])
  expect(Buffer.from(await part.arrayBuffer())).toEqual(readFileSync(file).subarray(10, 20))
  const other = await get({ range: 'bytes=10-19', 'if-range': '"sha256:00"' })
  expect([other.status, (await other.arrayBuffer()).byteLength]).toEqual([200, size])
  const beyond = await get({ range: `bytes=${size}-` })
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${size}`])
  expect(await beyond.json()).toMatchObject({ code: 'range_not_satisfiable' })

  const records = payload<{ items: { type: string }[] }>(
    await api.query(auditor, 'audit.list', { resourceId: path.split('/').at(-1), limit: 50 }),
  )
  // Four were sent with bytes; neither the headers alone nor the range that does not exist is a download.
  expect(records.items.filter(({ type }) => type === 'evidence_export.downloaded')).toHaveLength(4)
}, 60_000)

test('an archive of one approval, execution or agent holds what concerns it, and says so', async () => {
  const auditor = await api.client('audit-export')
  const linesOf = (top: string, name: string) =>
    readFileSync(join(top, `data/${name}.ndjson`), 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, string>)
  const made = async (name: string, scope?: object) => {
    const { path } = await finished(auditor, { ...aroundNow(), ...(scope === undefined ? {} : { scope }) })
    const archive = await fetch(`${api.baseUrl}${path}/download`, { headers: { authorization: `Bearer ${auditor}` } })
    const zip = Buffer.from(await archive.arrayBuffer())
    return await extractArchive(zip, join(folder, name))
  }
  // Another agent, which none of the scopes contains.
  const other = await registerRefundAgent(api, `other-${Date.now().toString(36)}`)
  const all = await made('all')
  const ids = (top: string, name: string) => linesOf(top, name).map(({ id }) => id)
  expect(ids(all, 'agents')).toContain(other)
  const asked = linesOf(all, 'approvals').find((row) => row.executionId !== null)
  if (asked?.id === undefined || asked.executionId === undefined) throw new Error('No execution of the demo waits.')
  const pending = { approvalId: asked.id, executionId: asked.executionId }
  const agentId = linesOf(all, 'executions').find(({ id }) => id === pending.executionId)?.agentId ?? ''

  const ofExecution = await made('execution', { executionId: pending.executionId })
  expect(ids(ofExecution, 'executions')).toEqual([pending.executionId])
  expect(ids(ofExecution, 'agents')).toEqual([agentId])
  expect(ids(ofExecution, 'approvals')).toContain(pending.approvalId)
  expect(new Set(linesOf(ofExecution, 'execution-events').map((row) => row.executionId))).toEqual(
    new Set([pending.executionId]),
  )
  expect(ids(ofExecution, 'members').length).toBeLessThan(ids(all, 'members').length)
  expect(ids(ofExecution, 'members').length).toBeGreaterThan(0)

  const ofApproval = await made('approval', { approvalId: pending.approvalId })
  expect(ids(ofApproval, 'approvals')).toEqual([pending.approvalId])
  expect(ids(ofApproval, 'executions')).toEqual([pending.executionId])
  expect(linesOf(ofApproval, 'execution-events')).toEqual([])

  const ofAgent = await made('agent', { agentId })
  expect(ids(ofAgent, 'executions')).toContain(pending.executionId)
  expect(ids(ofAgent, 'agents')).toEqual([agentId])

  for (const [top, scope] of [
    [ofExecution, { executionId: pending.executionId }],
    [ofApproval, { approvalId: pending.approvalId }],
    [ofAgent, { agentId }],
  ] as const) {
    const manifest = JSON.parse(readFileSync(join(top, 'manifest.json'), 'utf8'))
    expect(manifest.scope).toEqual(scope)
    expect(readFileSync(join(top, 'data/export.json'), 'utf8')).toContain('Only what concerns the')
    const [day] = manifest.days
    const records = linesOf(top, `audit/${day.date}`)
    expect(records.length).toBeGreaterThan(0)
    expect(records.length).toBeLessThan(day.size)
    // The hashes of the whole day, so that each record is provable and the others are counted.
    expect(readFileSync(join(top, `data/proofs/${day.date}.leaves`)).length).toBe(day.size * 32)
  }
  // The log of one execution names no other one.
  const others = ids(all, 'executions').filter((id) => id !== pending.executionId)
  const told = readFileSync(join(ofExecution, `data/audit/${new Date().toISOString().slice(0, 10)}.ndjson`), 'utf8')
  expect(others.filter((id) => told.includes(id ?? ''))).toEqual([])
  const missing = await create(auditor, { ...aroundNow(), scope: { agentId: '01a1f934-0000-7000-8000-000000000000' } })
  expect(missing.status).toBe(404)
}, 120_000)

test('the routes refuse invalid and unauthorised requests', async () => {
  const auditor = await api.client('audit-export')
  const exportId = ((await create(auditor, aroundNow())).body as { exportId: string }).exportId
  const path = `/v1/evidence/factory/jobs/${exportId}`
  expect((await create(undefined, aroundNow())).status).toBe(401)
  const developer = await api.client('ci-pipeline')
  expect((await create(developer, { nonsense: true })).status).toBe(403)
  expect((await api.request(developer, path)).status).toBe(403)
  const wrong = await create(auditor, { ...aroundNow(), endDate: '2020-01-01T00:00:00.000Z' })
  expect([wrong.status, reason(wrong)]).toEqual([400, 'validation_failed'])
  expect((await create(auditor, aroundNow(), { 'content-type': 'text/plain' })).status).toBe(415)

  const foreign = await api.client('audit-export', 'globex')
  const anonymous = (text: string) => text.replace(/"requestId":"[^"]*"/, '')
  for (const suffix of ['', '/manifest', '/download']) {
    const theirs = await api.request(foreign, `${path}${suffix}`)
    const never = await api.request(foreign, `/v1/evidence/factory/jobs/01a1f934-0000-7000-8000-000000000000${suffix}`)
    expect([suffix, theirs.status]).toEqual([suffix, 404])
    expect(anonymous(theirs.text)).toBe(anonymous(never.text))
  }
  const wrongVerb = await api.request(auditor, path, { method: 'DELETE' })
  expect([wrongVerb.status, wrongVerb.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})
