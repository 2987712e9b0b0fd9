import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { erasureSearched, getErasure, requestErasure } from '#server/testing/erasures.ts'
import { otlpJson } from '#server/testing/otlp.ts'
import { until } from '#server/testing/until.ts'

// kill -9 of a real server in the middle of an erasure. A lock that the test holds on one table stops it after the spans, which
// are erased in several transactions.

let api: TestApi
let owner: Client
beforeAll(async () => {
  api = await startApi()
  owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
}, 180_000)
afterAll(async () => {
  await owner.end()
  await api.close()
})

const subject = 'pavel.novak@mail.example'
const spans = 450

test('an erasure that is killed between two of its transactions finishes in the next process, and counts nothing twice', async () => {
  const traceId = newTraceId()
  const sent = await api.request(await api.client('telemetry'), '/v1/traces', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: otlpJson(
      Array.from({ length: spans }, () => ({
        traceId,
        spanId: newSpanId(),
        attributes: [['input.value', `Write to ${subject}.`]],
      })),
    ),
  })
  expect(sent.status).toBe(200)
  await owner.query('begin; lock table execution_steps in access exclusive mode')
  const erasureId = await requestErasure(api, subject)
  await until(
    async () => ((await getErasure(api, erasureId)).spans === spans ? true : undefined),
    'the spans are erased',
    60_000,
  )
  expect(await getErasure(api, erasureId)).toMatchObject({ status: 'pending' })
  await api.killAndRestart(async () => {
    await owner.query('commit')
  })
  const done = await erasureSearched(api, erasureId)
  expect(done).toMatchObject({ status: 'completed', spans, values: spans, waitsFor: [], unreadable: 0 })
  const { rows } = await owner.query('select subject from erasures where id = $1', [done.id])
  expect(rows).toEqual([{ subject: null }])
}, 180_000)
