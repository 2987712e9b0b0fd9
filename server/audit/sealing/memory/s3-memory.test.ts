import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { signDay } from '#server/audit/sealing/sign-day.ts'
import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { today } from '#server/audit/store.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { loadConfig } from '#server/kernel/config.ts'
import { newId } from '#server/kernel/ids.ts'
import { conditionalStore } from '#server/testing/fakes/conditional-store.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { s3Memory } from './s3-memory.ts'

let store: Awaited<ReturnType<typeof conditionalStore>>
let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let date: string
beforeAll(async () => {
  store = await conditionalStore()
  // The SDK reads its settings from the environment.
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: 'test-access',
    AWS_SECRET_ACCESS_KEY: 'test-secret',
    AWS_REGION: 'eu-test-1',
    AWS_ENDPOINT_URL_S3: store.url,
    AWS_MAX_ATTEMPTS: '1',
  })
  runtime = await testRuntime({
    environment: { SIGNER_MEMORY: 's3://memory/agcp/one', AWS_ENDPOINT_URL_S3: store.url },
  })
  date = await runtime.database.inDirectory(today)
})
afterAll(async () => {
  await runtime.close()
  await store.close()
})
beforeEach(async () => {
  store.failWith(() => undefined)
  tenant = await testTenant(runtime)
})

const append = () =>
  runtime.database.inTenant(tenant.id, (tx) =>
    appendAudit(tx, tenant, { actor: systemActor, action: 'test', resource: { type: 'x', id: newId() } }),
  )
const sign = () => runtime.database.inTenant(tenant.id, (tx) => signDay(tx, tenant, date))
const signedSizes = async () => {
  const owner = await connectAsOwner(runtime)
  const { rows } = await owner.query<{ size: number }>(
    'select size from audit_checkpoints where tenant_id = $1 order by size',
    [tenant.id],
  )
  await owner.end()
  return rows.map(({ size }) => size)
}
const key = () => `/memory/agcp/one/signer-memory/${tenant.id}.json`

test('an object is replaced only by a writer that has read it', async () => {
  const memory = s3Memory({ bucket: 'memory', prefix: '' }, store.url)
  const id = newId()
  expect(await memory.read(id)).toBeUndefined()
  const first = await Promise.all([1, 2, 3, 4].map((n) => memory.write(id, `${n}`, undefined)))
  expect(first.filter(Boolean)).toHaveLength(1)
  const stored = await memory.read(id)
  expect(await memory.write(id, 'second', stored?.version)).toBe(true)
  expect(await memory.write(id, 'late', stored?.version)).toBe(false)
  expect((await memory.read(id))?.text).toBe('second')
  store.objects.delete(`/memory/signer-memory/${id}.json`)
  expect(await memory.write(id, 'late', stored?.version)).toBe(false)
  expect(await memory.read(id)).toBeUndefined()
})

test('two signers on one store sign one root for each size', async () => {
  await Promise.all(Array.from({ length: 4 }, () => append().then(() => signTenant(tenant.id))))
  expect(JSON.parse(String(store.objects.get(key())?.body)).days[date].size).toBe((await signedSizes()).at(-1))
})

test.each([
  ['refuses', { status: 503, code: 'SlowDown' } as const],
  ['ends the connection', 'reset' as const],
  ['stores but does not answer', 'lost' as const],
])('nothing is signed while the store %s; afterwards the same size and root are', async (_what, fault) => {
  await signTenant(tenant.id)
  const before = await signedSizes()
  await append()
  store.failWith((method) => (method === 'PUT' ? fault : undefined))
  await expect(sign()).rejects.toThrow()
  expect(await signedSizes()).toEqual(before)
  store.failWith(() => undefined)
  await sign()
  expect(await signedSizes()).toEqual([...before, (before.at(-1) ?? 0) + 1])
})

test('nothing is signed while the store can’t be read', async () => {
  await signTenant(tenant.id)
  const before = await signedSizes()
  await append()
  store.failWith((method) => (method === 'GET' ? { status: 403, code: 'AccessDenied' } : undefined))
  await expect(sign()).rejects.toThrow()
  expect(await signedSizes()).toEqual(before)
})

test('an older version of the object, or none, refuses to sign', async () => {
  await signTenant(tenant.id)
  const older = store.objects.get(key())
  await append()
  await signTenant(tenant.id)
  await append()
  if (older !== undefined) store.objects.set(key(), older)
  await expect(sign()).rejects.toThrow(/memory is older than the database/)
  store.objects.delete(key())
  await expect(sign()).rejects.toThrow(/memory is missing/)
})

test.each(['s3:/memory', 'https://memory', 's3://M', 'files'])('SIGNER_MEMORY=%s is refused at the start', (value) => {
  expect(() => loadConfig({ SIGNER_MEMORY: value })).toThrow('SIGNER_MEMORY must be file, or an address')
})
