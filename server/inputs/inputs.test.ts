// Longer than other files: one server and one set of agents serve every case.
import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { InputResolution, InputWait, Receipt } from '#lib/schemas/inputs.ts'
import { type Answer, patiently, payload, reason, startApi, type TestApi } from '#server/testing/api.ts'
import { countCases, sized } from '#server/testing/properties/counts.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { cipherOfApi } from '#server/testing/tenant-cipher.ts'
import { until } from '#server/testing/until.ts'
import { openData } from './event-content.ts'

// Durable external input over HTTP, from the view of senders and operators.

let api: TestApi
let owner: Client
let sender: string
let operator: string
beforeAll(async () => {
  api = await startApi()
  owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  sender = await api.client('ci-pipeline')
  operator = await api.person('omar')
}, 180_000)
afterAll(async () => {
  await owner.end()
  await api.close()
})

type Execution = { status: string; output: unknown; error: { code: string } | null; steps: { status: string }[] }
const get = async (id: string) => payload<Execution>(await api.query(operator, 'executions.get', { id }))
const reaches = (id: string, status: string, timeoutMs?: number) =>
  until(async () => ((await get(id)).status === status ? await get(id) : undefined), `${id} ${status}`, timeoutMs)
const eventTypes = async (id: string) =>
  payload<{ items: { type: string }[] }>(await api.query(operator, 'executions.getEvents', { id })).items.map(
    (event) => event.type,
  )
const start = async (agentId: string) =>
  payload<{ executionId: string }>(
    await api.mutate(await api.person('maria'), 'executions.execute', {
      agentId,
      environment: 'production',
      input: { orderId: 'A-1002' },
    }),
  ).executionId
const lookUp = (id: string) => ({ id: 'order', tool: { server: 'payments', name: 'lookup_order', arguments: { id } } })
const waiting = (name: string, wait: unknown, inputs: unknown[], then = `\${input.orderId}`) =>
  releaseAgent(api, name, {
    steps: [{ id: 'ok', wait }, lookUp(then)],
    tools: { payments: ['lookup_order'] },
    more: { inputs },
  })

const send = (body: unknown, headers: Record<string, string> = {}) =>
  api.request(sender, '/v1/input-events', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const event = (executionId: string, input: string, data: unknown) => ({ correlation: { executionId, input }, data })
const sent = async (executionId: string, input: string, data: unknown, key: string = randomUUID()) =>
  (await patiently(() => send(event(executionId, input, data), { 'idempotency-key': key }))).body as {
    result: string
    receiptId: string
    status: string
  }
const receipt = async (receiptId: string) =>
  payload<Receipt>(await api.query(operator, 'executions.inputEvents.get', { receiptId }))
const waits = async (executionId: string) =>
  payload<{ items: InputWait[] }>(await api.query(operator, 'executions.inputWaits.list', { executionId })).items
const resolutions = async (executionId: string) =>
  payload<{ items: InputResolution[] }>(await api.query(operator, 'executions.inputResolutions.list', { executionId }))
    .items
const told = (answer: Answer) => [answer.status, reason(answer)]

describe('an event', () => {
  let agentId: string
  beforeAll(async () => {
    agentId = await waiting('input-one', { input: 'order_id' }, [{ name: 'order_id' }], `\${steps.ok.output.order}`)
  }, 60_000)

  test('is matched, delivered and applied, and its data is the step’s output', async () => {
    const id = await start(agentId)
    await reaches(id, 'waiting_input')
    const answer = await send(event(id, 'order_id', { order: 'A-1003' }), { 'idempotency-key': 'one-first' })
    expect(answer.status).toBe(202)
    expect(answer.body).toEqual({ result: 'accepted', receiptId: expect.any(String), status: 'accepted' })
    const { receiptId } = answer.body as { receiptId: string }
    expect((await reaches(id, 'succeeded')).output).toMatchObject({ id: 'A-1003' })
    expect(await receipt(receiptId)).toMatchObject({
      status: 'accepted',
      correlation: { executionId: id, input: 'order_id' },
      admission: { result: 'accepted', idempotencyKey: 'one-first' },
      match: { stepId: 'ok', waitStatus: 'satisfied' },
      delivery: { status: 'delivered', attempts: 1 },
      application: { status: 'applied' },
    })
    expect(await eventTypes(id)).toEqual([
      'execution.running',
      'input.requested',
      'input.applied',
      'policy.decided',
      'tool.called',
      'tool.returned',
      'execution.succeeded',
    ])
    expect(await resolutions(id)).toMatchObject([{ receiptId, delivery: 'delivered', application: 'applied' }])
  })

  test('that arrives before its wait is stored, and matched when the wait opens', async () => {
    const early = await releaseAgent(api, 'input-early', {
      steps: [lookUp('A-1001'), { id: 'ok', wait: { input: 'order_id' } }],
      tools: { payments: ['lookup_order'] },
      more: { inputs: [{ name: 'order_id' }] },
    })
    const hold = join(api.gate, 'hold-lookup_order')
    await writeFile(hold, '')
    const id = await start(early)
    const first = await sent(id, 'order_id', 'kept')
    expect(first.status).toBe('received')
    expect(await sent(id, 'order_id', 'the second')).toMatchObject({ result: 'accepted', status: 'received' })
    await rm(hold)
    expect((await reaches(id, 'succeeded')).output).toBe('kept')
    expect((await receipt(first.receiptId)).application?.status).toBe('applied')
    const late = await sent(id, 'order_id', 'too late')
    expect(late).toMatchObject({ result: 'accepted', status: 'wait_terminal' })
    expect((await receipt(late.receiptId)).match).toBeNull()
  })

  test('sent again returns the same receipt, or a conflict when the content differs', async () => {
    const id = await start(agentId)
    const first = await sent(id, 'order_id', { order: 'A-1001' }, 'again')
    const same = await sent(id, 'order_id', { order: 'A-1001' }, 'again')
    expect(same).toMatchObject({ result: 'duplicate', receiptId: first.receiptId })
    const other = await send(event(id, 'order_id', { order: 'A-1002' }), { 'idempotency-key': 'again' })
    expect(told(other)).toEqual([409, 'event_conflict'])
    expect((await reaches(id, 'succeeded')).output).toMatchObject({ id: 'A-1001' })
  })

  test('without a wait expires', async () => {
    const never = randomUUID()
    const answer = await send({ ...event(never, 'x', 1), ttl: 'PT1S', source: 'urn:test', id: 'unmatched' })
    const { receiptId, status } = answer.body as { receiptId: string; status: string }
    expect(status).toBe('received')
    const expired = await until(async () => {
      const now = await receipt(receiptId)
      return now.status === 'received' ? undefined : now
    }, 'it expired')
    expect(expired).toMatchObject({ status: 'unmatched_expired', match: null, delivery: null, application: null })
  })

  test.each([
    ['no identity', { correlation: { executionId: randomUUID(), input: 'x' }, data: 1 }, {}],
    ['source without id', { ...event(randomUUID(), 'x', 1), source: 'urn:a' }, {}],
    ['no correlation', { data: 1 }, { 'idempotency-key': 'k' }],
    ['an unknown member', { ...event(randomUUID(), 'x', 1), more: 1 }, { 'idempotency-key': 'k' }],
    ['a time to live of a year', { ...event(randomUUID(), 'x', 1), ttl: 'P365D' }, { 'idempotency-key': 'k' }],
  ])('with %s is rejected', async (_what, body, headers) => {
    expect(told(await send(body, headers))).toEqual([400, 'validation_failed'])
  })
})

describe('CloudEvents', () => {
  const unclassified = (text: string) => ({ $masked: { class: 'unclassified', length: text.length } })
  const attributes = (id: string, executionid: string) => ({
    specversion: '1.0',
    id,
    source: '/orders/a b',
    type: 'order.confirmed',
    executionid,
    input: 'order_id',
  })
  const structured = (value: object, type = 'application/cloudevents+json; charset=utf-8') =>
    send(value, { 'content-type': type })
  const binary = (value: Record<string, string>, body: string, type = 'application/json') =>
    api.request(sender, '/v1/input-events', {
      method: 'POST',
      headers: {
        'content-type': type,
        ...Object.fromEntries(Object.entries(value).map(([name, text]) => [`ce-${name}`, encodeURIComponent(text)])),
      },
      body,
    })

  test('in structured and binary form are the same event by source and id', async () => {
    const execution = randomUUID()
    const first = await structured({ ...attributes('ce-1', execution), data: { order: 'A' } })
    expect([first.status, first.body]).toMatchObject([202, { result: 'accepted', status: 'received' }])
    const second = await binary(attributes('ce-1', execution), '{"order":"A"}')
    expect(second.body).toEqual({ ...(first.body as object), result: 'duplicate' })
    expect(told(await binary(attributes('ce-1', execution), '{"order":"B"}'))).toEqual([409, 'event_conflict'])
    expect(await receipt((first.body as { receiptId: string }).receiptId)).toMatchObject({
      // Without an execution everything counts as sensitive. The lengths show that the headers were decoded.
      admission: {
        source: unclassified('/orders/a b'),
        id: unclassified('ce-1'),
        type: unclassified('order.confirmed'),
      },
    })
  })

  test('in binary form may have attributes in double quotes', async () => {
    const execution = randomUUID()
    const quoted = { ...attributes('ce "quoted" \\ %41', execution), type: 'a, b' }
    const header = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%25')}"`
    const headers = Object.entries(quoted).map(([name, text]) => [`ce-${name}`, header(text)])
    const first = await api.request(sender, '/v1/input-events', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...Object.fromEntries(headers) },
      body: '{"order":"A"}',
    })
    expect(first.status).toBe(202)
    const again = await structured({ ...quoted, data: { order: 'A' } })
    expect(again.body).toEqual({ ...(first.body as object), result: 'duplicate' })
  })

  test('preserve text and bytes', async () => {
    const execution = randomUUID()
    for (const [id, body, type] of [
      ['ce-text', 'grüße', 'text/plain'],
      ['ce-bytes', 'bytes', 'application/octet-stream'],
      ['ce-empty', '', 'application/json'],
    ] as const)
      expect((await binary(attributes(id, execution), body, type)).status).toBe(202)
    const { rows } = await owner.query<{ id: string; data: Buffer }>(
      `select id, data from input_events where execution_id = $1 order by id`,
      [execution],
    )
    const cipher = await cipherOfApi(api)
    expect(rows.map((row) => openData(cipher, row.id, row.data))).toEqual(['grüße', { $base64: 'Ynl0ZXM=' }, null])
  })

  test('in structured form have only the members that are not null', async () => {
    const execution = randomUUID()
    const unset = { subject: null, ttl: null, other: null }
    const first = await structured({
      ...attributes('ce-null', execution),
      ...unset,
      data_base64: null,
      data: { order: 'A' },
    })
    expect([first.status, told(first)[1]]).toEqual([202, undefined])
    const again = await structured({ ...attributes('ce-null', execution), data: { order: 'A' } })
    expect(again.body).toMatchObject({ result: 'duplicate' })
    const bytes = await structured({ ...attributes('ce-null-data', execution), data: null, data_base64: 'Ynl0ZXM=' })
    expect(bytes.status).toBe(202)
    expect((await structured({ ...attributes('ce-null-id', execution), id: null })).status).toBe(400)
  })

  test.each([
    ['data_base64 that is not a string', { ...attributes('x', randomUUID()), data_base64: { a: 1 } }, 400],
    ['another version', { ...attributes('x', randomUUID()), specversion: '0.3' }, 400],
    ['no type', { ...attributes('x', randomUUID()), type: undefined }, 400],
    ['no correlation', { ...attributes('x', randomUUID()), executionid: undefined }, 400],
    ['a batch', [attributes('x', randomUUID())], 400],
  ])('in structured form with %s are rejected', async (_what, value, status) => {
    expect((await structured(value)).status).toBe(status)
  })

  test('with another content type are 415', async () => {
    expect((await structured({}, 'application/cloudevents-batch+json')).status).toBe(415)
    expect((await structured({}, 'text/plain')).status).toBe(415)
  })
})

describe('a wait', () => {
  const names = ['manager', 'controller']
  const inputs = names.map((name) => ({ name, ttl: 'PT1H' }))

  test('for any of several inputs takes the first and supersedes the others', async () => {
    const id = await start(await waiting('input-any', { any: names }, inputs, `\${steps.ok.output.controller}`))
    await reaches(id, 'waiting_input')
    await sent(id, 'controller', 'A-1001')
    expect((await reaches(id, 'succeeded')).output).toMatchObject({ id: 'A-1001' })
    const closed = await waits(id)
    expect(closed.map(({ input, status }) => [input, status]).sort()).toEqual([
      ['controller', 'satisfied'],
      ['manager', 'superseded'],
    ])
    expect(await sent(id, 'manager', 'A-1002')).toMatchObject({ status: 'wait_terminal' })
  })

  test('for all inputs continues with the last one', async () => {
    const id = await start(await waiting('input-all', { all: names }, inputs, `\${steps.ok.output.manager}`))
    await reaches(id, 'waiting_input')
    await sent(id, 'manager', 'A-1003')
    await until(async () => ((await eventTypes(id)).length === 2 ? true : undefined), 'it is still waiting')
    expect((await get(id)).status).toBe('waiting_input')
    await sent(id, 'controller', 'yes')
    expect((await reaches(id, 'succeeded')).output).toMatchObject({ id: 'A-1003' })
  })

  test('without an answer ends the execution as expired or continues with the default', async () => {
    const brief = (more: object) => [{ name: 'manager', ttl: 'PT1S', ...more }]
    const failing = await start(await waiting('input-fail', { input: 'manager' }, brief({ onExpiry: 'fail' })))
    const going = await start(
      await waiting(
        'input-continue',
        { input: 'manager' },
        brief({ onExpiry: 'continue', default: { order: 'A-1001' } }),
        `\${steps.ok.output.order}`,
      ),
    )
    expect((await reaches(failing, 'expired')).error?.code).toBe('wait_expired')
    expect((await waits(failing)).map((wait) => wait.status)).toEqual(['expired'])
    expect((await reaches(going, 'succeeded')).output).toMatchObject({ id: 'A-1001' })
  })

  test('is canceled once, at its revision, and is then wait_terminal', async () => {
    const id = await start(await waiting('input-cancel', { input: 'manager' }, [{ name: 'manager' }]))
    await reaches(id, 'waiting_input')
    const [wait] = await waits(id)
    const cancel = (expectedRevision: number) =>
      api.mutate(operator, 'executions.inputWaits.cancel', { id: wait?.id, expectedRevision, reason: 'Not needed.' })
    expect(told(await cancel(7))).toEqual([409, 'revision_conflict'])
    expect(payload(await cancel(1))).toEqual({ id: wait?.id, status: 'canceled', revision: 2 })
    expect(told(await cancel(2))).toEqual([409, 'wait_terminal'])
    expect((await reaches(id, 'canceled')).error?.code).toBe('wait_terminal')
    expect(await sent(id, 'manager', 1)).toMatchObject({ status: 'wait_terminal' })
  })

  test('accepts one of twenty concurrent cancels and twenty events', async () => {
    const id = await start(await waiting('input-race', { input: 'manager' }, [{ name: 'manager' }]))
    await reaches(id, 'waiting_input')
    const [wait] = await waits(id)
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        if (index % 2 === 0) return (await sent(id, 'manager', index)).status
        const input = { id: wait?.id, expectedRevision: 1, reason: 'Racing.' }
        const answer = await patiently(() => api.mutate(operator, 'executions.inputWaits.cancel', input))
        return answer.status === 200 ? 'canceled' : reason(answer)
      }),
    )
    expect(answers.filter((answer) => answer !== 'wait_terminal')).toHaveLength(1)
    await until(async () => (/succeeded|canceled/.test((await get(id)).status) ? true : undefined), 'it ended')
  })

  test('is delivered again only after a failed or unknown delivery, by a person', async () => {
    const id = await start(await waiting('input-retry', { input: 'manager' }, [{ name: 'manager' }]))
    await reaches(id, 'waiting_input')
    const { receiptId } = await sent(id, 'manager', 'A')
    await reaches(id, 'succeeded')
    const [resolution] = await resolutions(id)
    const retry = (expectedRevision: number) =>
      api.mutate(operator, 'executions.inputResolutions.retry', {
        id: resolution?.id,
        expectedRevision,
        reason: 'It did not arrive.',
      })
    expect(told(await retry(resolution?.revision ?? 0))).toEqual([409, 'wait_terminal'])
    // The state after a delivery with an unknown outcome.
    await owner.query(
      `with back as (update input_resolutions set delivery = 'unknown', application = 'not_applied', revision = 5
        where event_id = $1 returning wait_id)
       update input_waits set status = 'matched' from back where id = wait_id`,
      [receiptId],
    )
    expect(told(await retry(4))).toEqual([409, 'revision_conflict'])
    expect(payload(await retry(5))).toMatchObject({ delivery: 'pending', revision: 6 })
    expect(told(await retry(6))).toEqual([409, 'conflict'])
  })
})

test('of many concurrent identical events, one is accepted', async (context) => {
  const many = sized(2000, 100)
  const id = await start(await waiting('input-storm', { input: 'manager' }, [{ name: 'manager' }]))
  const answers: { result: string; receiptId: string }[] = []
  for (let batch = 0; batch < many; batch += 100)
    answers.push(...(await Promise.all(Array.from({ length: 100 }, () => sent(id, 'manager', { ok: true }, 'storm')))))
  expect(answers.filter(({ result }) => result === 'accepted')).toHaveLength(1)
  expect(answers.filter(({ result }) => result === 'duplicate')).toHaveLength(many - 1)
  expect(new Set(answers.map(({ receiptId }) => receiptId)).size).toBe(1)
  await reaches(id, 'succeeded')
  countCases(context, many)
}, 120_000)

test('a manifest with invalid waits is rejected with line and column', async () => {
  const register = async (yaml: string) => {
    const answer = await api.mutate(sender, 'agents.create', { yaml })
    const { data } = (answer.body as { error: { json: { data: { reason: string; issues: object[] } } } }).error.json
    return [answer.status, data.reason, data.issues[0]]
  }
  const manifest = (wait: string, inputs: string) =>
    `metadata:\n  name: waits\nspec:\n  runtime:\n    steps:\n      - id: a\n        wait: ${wait}\n  inputs: ${inputs}\n`
  expect(await register(manifest('{ input: other }', '[{ name: one }]'))).toMatchObject([
    400,
    'invalid_manifest',
    { path: 'spec.runtime.steps.0.wait.input', line: 7, column: 24 },
  ])
  expect(await register(manifest('{ input: one, any: [one] }', '[{ name: one }]'))).toMatchObject([
    400,
    'invalid_manifest',
    { line: 7, column: 15 },
  ])
  expect(await register(manifest('{ input: one }', '[{ name: one, ttl: 3 days }]'))).toMatchObject([
    400,
    'invalid_manifest',
    { path: 'spec.inputs.0.ttl', line: 8, column: 30 },
  ])
  expect(await register(manifest('{ all: [one, one] }', '[{ name: one }]'))).toMatchObject([
    400,
    'invalid_manifest',
    {},
  ])
})
