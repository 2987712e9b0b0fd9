import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { payload, reason, startApi, type TestApi } from '#server/testing/api.ts'
import { otlpJson, type TestSpan } from '#server/testing/otlp.ts'

// Searches everywhere for personal data that telemetry sends, and checks who may see it.

let api: TestApi
let token: string
let maria: string
let pia: string
beforeAll(async () => {
  api = await startApi({ LOG_LEVEL: 'trace' })
  token = await api.client('telemetry')
  maria = await api.person('maria')
  pia = await api.person('pia')
}, 180_000)
afterAll(() => api.close())

const canary = 'kanarienvogel'
const email = `${canary}-7@mail.example`
const iban = 'DE89 3704 0044 0532 0130 00'
/** Any two neighbouring groups of it: one alone may be in an id or a time. */
const partOfIban = /DE89 ?3704|3704 ?0044|0044 ?0532|0532 ?0130/

const canarySpan = (traceId: string): TestSpan => ({
  traceId,
  spanId: newSpanId(),
  name: `chat with ${email}`,
  status: { code: 2, message: `${canary} is not a customer` },
  attributes: [
    ['gen_ai.operation.name', 'chat'],
    ['gen_ai.request.model', 'small-1'],
    ['gen_ai.input.messages', { pairs: [['content', `${canary} asks`]] }],
    ['gen_ai.prompt.0.content', `${canary} old style`],
    ['gen_ai.tool.call.arguments', `{"who":"${canary}"}`],
    ['gen_ai.tool.call.result', [canary]],
    ['llm.input_messages.0.message.content', `${canary} openinference`],
    ['input.value', `${canary} in`],
    ['output.value', `${canary} out`],
    ['traceloop.entity.input', `${canary} traceloop`],
    ['ai.prompt.messages', `${canary} ai sdk`],
    ['ai.toolCall.args', `${canary} ai tool`],
    ['exception.message', `${canary} failed`],
    ['url.full', `https://shop.example/${canary}`],
    ['user.id', canary],
    ['customer_name', canary],
    ['note', `write to ${email}`],
    ['payment', `to ${iban} ${canary}`],
    ['essay', `${canary} `.repeat(40)],
    ['blob', { pairs: [['mail', email]] }],
  ],
  events: [{ name: 'gen_ai.content.prompt', attributes: [['gen_ai.prompt', `${canary} in an event`]] }],
})

const export1 = async (spans: TestSpan[]) => {
  const answer = await api.request(token, '/v1/traces', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: otlpJson(spans, [['service.name', 'support-agent']]),
  })
  expect([answer.status, answer.text]).toEqual([200, '{}'])
}

/** Returns all rows of all tables, including partitions and the queue's tables, as the owner. */
async function dump(): Promise<string> {
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  const { rows } = await owner.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'partitions', 'pgboss')`,
  )
  const texts: string[] = []
  for (const { name } of rows)
    texts.push(
      ...(await owner.query<{ text: string }>(`select t::text as text from ${name} t`)).rows.map((row) => row.text),
    )
  await owner.end()
  expect(rows.length).toBeGreaterThan(40)
  return texts.join('\n')
}

type Masking = { revealed: boolean; maskedValues: number; reason: string | null }
type Reveal = { by: { username: string }; justification: string; auditId: string; spanId: string | null }
type TraceAnswer = {
  spans: { attributes: { key: string; value?: unknown }[] }[]
  masking: Masking
  seenBy: Reveal[]
}
const justification = 'A customer asked what the agent was told about them.'
const getTrace = (bearer: string, traceId: string, headers?: Record<string, string>) =>
  api.query(bearer, 'traces.getTrace', { traceId, includeSensitiveData: true }, headers)

describe('canaries', () => {
  test('are in no answer, no event and not in the database without a grant', async () => {
    const traceId = newTraceId()
    const span = canarySpan(traceId)
    await export1([span])
    const answers = [
      await getTrace(maria, traceId),
      await getTrace(pia, traceId),
      await getTrace(maria, traceId, { 'x-svc-justification': justification }),
      await api.query(maria, 'traces.getTrace', { traceId, view: 'skeleton' }),
      await api.query(maria, 'traces.getSpan', { traceId, spanId: span.spanId, includeSensitiveData: true }),
      await api.query(maria, 'traces.list', { text: 'chat' }),
      await api.query(maria, 'agents.observed', {}),
      await api.query(await api.person('vera'), 'audit.list', {}),
    ]
    for (const answer of answers) {
      expect(answer.status, answer.text).toBe(200)
      expect(answer.text).not.toContain(canary)
      expect(answer.text).not.toMatch(partOfIban)
    }
    const stream = await fetch(
      `${api.baseUrl}/v1/traces.stream?input=${encodeURIComponent(JSON.stringify({ json: { traceId } }))}`,
      { headers: { authorization: `Bearer ${maria}` } },
    )
    let events = ''
    for await (const chunk of stream.body ?? []) {
      events += Buffer.from(chunk).toString()
      if (events.includes('span.ended') && events.endsWith('\n\n')) break
    }
    expect(events).toContain(span.spanId)
    expect(events).not.toContain(canary)

    const stdout = await dump()
    expect(stdout).toContain(span.spanId)
    expect(stdout).not.toContain(canary)
    expect(stdout).not.toMatch(partOfIban)
    // In each form of bytes in a dump.
    for (const form of ['hex', 'base64'] as const)
      expect(stdout).not.toContain(Buffer.from(canary).toString(form).slice(0, 12))
  }, 60_000)
})

describe('canaries in transit', () => {
  test('are in no frame of a socket', async () => {
    const traceId = newTraceId()
    const span = canarySpan(traceId)
    await export1([span])
    const socket = new WebSocket(`${api.baseUrl.replace('http', 'ws')}/v1?connectionParams=1`)
    const frames: string[] = []
    await new Promise<void>((resolve, reject) => {
      socket.on('open', () => {
        const params = { path: 'traces.stream', input: { json: { traceId } } }
        socket.send(JSON.stringify({ method: 'connectionParams', data: { authorization: `Bearer ${maria}` } }))
        socket.send(JSON.stringify({ id: 1, method: 'subscription', params }))
      })
      socket.on('message', (data) => {
        frames.push(String(data))
        if (frames.at(-1)?.includes('span.ended') === true) resolve()
      })
      socket.on('error', reject)
      socket.on('close', () => reject(new Error(`The socket was closed after ${frames.join()}`)))
    })
    socket.terminate()
    expect(frames.join()).toContain(span.spanId)
    expect(frames.join()).toContain('"class":"tool.arguments"')
    expect(frames.join()).not.toContain(canary)
    expect(frames.join()).not.toMatch(partOfIban)
  })

  test('are in no line of the process log, even when their request is malformed', async () => {
    const post = (body: string, contentType = 'application/json', more: Record<string, string> = {}) =>
      api.request(token, '/v1/traces', { method: 'POST', headers: { 'content-type': contentType, ...more }, body })
    const whole = otlpJson([canarySpan(newTraceId())])
    expect((await post(whole)).status).toBe(200)
    for (const [answer, status] of [
      [await post(whole.slice(0, -3)), 400],
      [await post(whole, 'application/x-protobuf'), 400],
      [await post(whole, 'text/plain'), 415],
      [await post(whole, 'application/json', { 'content-encoding': 'gzip' }), 400],
      [await post(JSON.stringify({ resourceSpans: canary })), 400],
    ] as const) {
      expect(answer.status, answer.text).toBe(status)
      expect(answer.text).not.toContain(canary)
    }
    // The server does write a log, at the most verbose level.
    expect(api.logged()).toContain('"level":')
    expect(api.logged()).not.toContain(canary)
    expect(api.logged()).not.toMatch(partOfIban)
  })
})

describe('unmasked values are shown', () => {
  test('with permission and justification, and each read is recorded and listed', async () => {
    const traceId = newTraceId()
    const span = canarySpan(traceId)
    await export1([span])
    for (const [header, why] of [
      [undefined, 'does not include a justification'],
      ['too short', '20 to 2,000 characters'],
    ] as const) {
      const masked = payload<TraceAnswer>(
        await getTrace(pia, traceId, header === undefined ? {} : { 'x-svc-justification': header }),
      )
      expect(masked.masking).toMatchObject({ revealed: false, reason: expect.stringContaining(why) })
    }
    const shown = payload<TraceAnswer>(await getTrace(pia, traceId, { 'x-svc-justification': justification }))
    expect(shown.masking).toEqual({ revealed: true, maskedValues: 0, reason: null })
    const values = new Map(shown.spans[0]?.attributes.map(({ key, value }) => [key, value]))
    expect(values.get('gen_ai.input.messages')).toEqual([{ key: 'content', value: `${canary} asks` }])
    expect(values.get('otel.span_name')).toBe(`chat with ${email}`)
    expect(values.get('payment')).toContain(iban)
    expect(shown.seenBy).toMatchObject([{ by: { username: 'pia' }, justification, spanId: null }])
    const one = payload<{ span: { events: unknown[] }; seenBy: Reveal[] }>(
      await api.query(
        pia,
        'traces.getSpan',
        { traceId, spanId: span.spanId, includeSensitiveData: true },
        { 'x-svc-justification': justification },
      ),
    )
    expect(one.span.events).toMatchObject([{ attributes: [{ value: `${canary} in an event` }] }])
    expect(one.seenBy).toMatchObject([{ spanId: span.spanId }, { spanId: null }])
    const record = payload<{ record: object }>(
      await api.query(await api.person('vera'), 'audit.get', { auditId: shown.seenBy[0]?.auditId }),
    )
    expect(record.record).toMatchObject({ action: 'trace.revealed', reason: justification, resource: { id: traceId } })
  })

  test('by a grant, for its fields, to its holder, until it expires', async () => {
    const traceId = newTraceId()
    await export1([canarySpan(traceId)])
    expect((await api.mutate(maria, 'traces.unmask', { traceId, purpose: 'Support', justification })).status).toBe(403)
    expect(
      (await api.mutate(pia, 'traces.unmask', { traceId, purpose: 'Support', justification: 'because' })).status,
    ).toBe(400)
    const grant = payload<{ grantId: string; status: string; expiresAt: string }>(
      await api.mutate(pia, 'traces.unmask', { traceId, fields: ['input.value'], purpose: 'Support', justification }),
    )
    expect(grant.status).toBe('active')
    expect(Date.parse(grant.expiresAt) - Date.now()).toBeLessThanOrEqual(15 * 60_000)
    const shown = await getTrace(pia, traceId)
    expect(shown.text).toContain(`${canary} in"`)
    expect(shown.text).not.toContain(`${canary} out`)
    expect((await getTrace(maria, traceId)).text).not.toContain(canary)
    const owner = new Client({ connectionString: api.ownerUrl })
    await owner.connect()
    await owner.query(`update unmask_grants set expires_at = now() where id = $1`, [grant.grantId])
    await owner.end()
    expect((await getTrace(pia, traceId)).text).not.toContain(canary)
  })

  test('only after a second person approves, if the tenant requires it', async () => {
    const owner = new Client({ connectionString: api.ownerUrl })
    await owner.connect()
    await owner.query(
      `update tenants set settings = settings || '{"unmaskSecondPerson":"required"}' where slug = 'northwind'`,
    )
    await owner.end()
    const traceId = newTraceId()
    await export1([canarySpan(traceId)])
    const alone = await getTrace(pia, traceId, { 'x-svc-justification': justification })
    expect(alone.text).toContain('second person')
    expect(alone.text).not.toContain(canary)
    const asked = payload<{ status: string; expiresAt: null; approvalId: string }>(
      await api.mutate(pia, 'traces.unmask', { traceId, purpose: 'Support', justification }),
    )
    expect(asked).toMatchObject({ status: 'pending', expiresAt: null })
    expect((await getTrace(pia, traceId)).text).not.toContain(canary)
    const own = await api.mutate(pia, 'approvals.decide', decision(asked.approvalId))
    expect([own.status, reason(own)]).toEqual([403, 'forbidden'])
    const decided = await api.mutate(maria, 'approvals.decide', decision(asked.approvalId))
    expect(decided.status, decided.text).toBe(200)
    expect((await getTrace(pia, traceId)).text).toContain(canary)
  })
})

const decision = (approvalId: string) => ({
  approvalId,
  decision: 'approve',
  decisionAcknowledged: true,
  reason: 'The customer’s request is on file.',
})
