import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { createRest, type Rest } from '#lib/rest.ts'
import { ExportJob, ExportList } from '#lib/schemas/evidence.ts'
import { SubmitOutput } from '#lib/schemas/inputs.ts'
import { Policy, PolicyVersion } from '#lib/schemas/policies.ts'
import { payload, startApi, type TestApi } from './testing/api.ts'
import { until } from './testing/until.ts'

// The console does not check the answers of REST routes, because the schemas stay out of its scripts. Here each call of its client
// is made on the real server, and its answer read with the schema whose type the client promises.

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const clientOf = async (who: Promise<string>): Promise<Rest> => {
  const authorization = `Bearer ${await who}`
  return createRest((path, init) =>
    fetch(new URL(String(path), api.baseUrl), { ...init, headers: { ...init?.headers, authorization } }),
  )
}
const never = new AbortController().signal
/** Throws for a member that the schema lacks, too. */
const read = <Shape extends z.core.$ZodShape>(schema: z.ZodObject<Shape>, answer: unknown) =>
  z.strictObject(schema.shape).parse(answer)
const source = '@id("all") permit (principal, action in Countersign::Action::"ToolCall", resource);'

test('policies are created, versioned and published', async () => {
  const { policies } = await clientOf(api.client('ci-pipeline'))
  const { id: policyId } = read(Policy, await policies.create({ name: 'by-rest', description: 'A policy.', source }))
  const { version } = read(PolicyVersion, await policies.createVersion({ policyId, source: `${source} ` }))
  const published = read(PolicyVersion, await policies.publishVersion({ policyId, version }))
  expect(published).toMatchObject({ policyId, version, publishedAt: expect.any(String) })
})

test('an input is submitted', async () => {
  const operator = await api.person('omar')
  const { items } = payload<{ items: { id: string }[] }>(await api.query(operator, 'executions.list', {}))
  const { inputEvents } = await clientOf(api.person('omar'))
  const sent = { executionId: items[0]?.id ?? '', input: 'early', data: { ok: true } }
  expect(
    read(SubmitOutput, await inputEvents.submit(sent, { context: { idempotencyKey: 'rest-client-1' } })),
  ).toMatchObject({ status: 'received' })
})

test('exports are requested, listed and read, and a cancel that is late is a conflict', async () => {
  const { evidence } = await clientOf(api.person('vera'))
  const today = new Date().toISOString().slice(0, 10)
  const period = { startDate: `${today}T00:00:00Z`, endDate: new Date().toISOString() }
  const { exportId } = await evidence.create({ ...period, includeProofs: true, includeRawPayloads: false })
  const job = async () => read(ExportJob, await evidence.get.read({ exportId }, never))
  const done = await until(async () => ((await job()).manifestSha256 === null ? undefined : await job()), 'the export')
  read(ExportList, await evidence.list.read({}, never))
  const manifest = await evidence.manifest.read({ exportId }, never)
  expect(manifest.files.length).toBeGreaterThan(0)
  expect(manifest).toMatchObject({ sealedAt: expect.any(String), signer: { keyId: expect.any(String) } })
  const late = evidence.cancel({ exportId, expectedRevision: done.revision, reason: 'It is not needed.' })
  await expect(late).rejects.toMatchObject({ failure: { code: 'conflict' } })
})
