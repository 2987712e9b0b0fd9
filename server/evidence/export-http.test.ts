import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payload, reason, startApi, type TestApi } from '#server/testing/api.ts'
import { aroundNow } from '#server/testing/exports.ts'
import { extractArchive } from '#server/testing/extract.ts'
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
  expect(job).toMatchObject({ status: 'completed', omissions: [masked, masked, masked, masked, masked] })

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
