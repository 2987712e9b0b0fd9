import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, payload, startApi, type TestApi } from '#server/testing/api.ts'

// A process prepares the calls of callers whom it has admitted before. The database decides at each call whether they still are who they
// were, and everything that has changed counts at the next call.

let api: TestApi
let owner: Client
let sender: string
let tenantId: string
beforeAll(async () => {
  api = await startApi()
  owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  sender = await api.client('ci-pipeline')
  tenantId = payload<{ id: string }>(await api.query(sender, 'tenants.current')).id
}, 180_000)
afterAll(async () => {
  await owner.end()
  await api.close()
})

const send = (executionId: string = randomUUID(), data: unknown = 1): Promise<Answer> =>
  api.request(sender, '/v1/input-events', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    body: JSON.stringify({ correlation: { executionId, input: 'answer' }, data }),
  })
const current = () => api.query(sender, 'tenants.current')
const stored = async (executionId: string) =>
  (await owner.query('select from input_events where execution_id = $1', [executionId])).rows.length
const records = async () =>
  (await owner.query('select from audit_records where tenant_id = $1', [tenantId])).rows.length

/** Changes the membership of the sender for a while. */
async function during(change: string, work: () => Promise<void>): Promise<void> {
  const where = `tenant_id = $1 and username = 'ci-pipeline'`
  const { rows } = await owner.query<{ roles: string[]; status: string }>(
    `select roles, status from members where ${where}`,
    [tenantId],
  )
  await owner.query(`update members set ${change} where ${where}`, [tenantId])
  try {
    await work()
  } finally {
    await owner.query(`update members set roles = $2, status = $3, tokens_not_before = null where ${where}`, [
      tenantId,
      rows[0]?.roles,
      rows[0]?.status,
    ])
  }
}

describe('a caller whom the process knows', () => {
  test('is admitted again', async () => {
    const executionId = randomUUID()
    for (let call = 0; call < 3; call++) expect((await send(executionId)).status).toBe(202)
    expect(await stored(executionId)).toBe(3)
    expect((await current()).status).toBe(200)
  })

  test.each([`status = 'suspended'`, `status = 'removed'`])('is refused at the next call after %s', async (change) => {
    expect([(await send()).status, (await current()).status]).toEqual([202, 200])
    await during(change, async () => {
      const before = await records()
      const executionId = randomUUID()
      expect((await send(executionId)).status).toBe(403)
      expect((await current()).status).toBe(403)
      expect(await stored(executionId)).toBe(0)
      // Only members leave records.
      expect(await records()).toBe(before)
    })
    expect([(await send()).status, (await current()).status]).toEqual([202, 200])
  })

  test('is refused in a batch of one, and in a stream, too', async () => {
    const batch = '/v1/tenants.current?batch=1&input=%7B%7D'
    const streamed = { headers: { accept: 'application/jsonl' } }
    expect((await current()).status).toBe(200)
    await during(`status = 'suspended'`, async () => {
      for (const path of [batch, '/v1/tenants.current', '/v1/approvals.decide?batch=1', '/v1/approvals.decide']) {
        const post = path.includes('decide')
          ? { method: 'POST', body: '{"0":{}}', headers: { ...streamed.headers, 'content-type': 'application/json' } }
          : streamed
        expect([path, (await api.request(sender, path, post)).status]).toEqual([path, 403])
      }
    })
  })

  test('keeps no connection when the call fails before its operation', async () => {
    expect((await current()).status).toBe(200)
    const failing = { headers: { 'x-svc-justification': '%' } }
    for (let call = 0; call < 40; call++)
      expect((await api.request(sender, '/v1/tenants.current', failing)).headers.has('ratelimit')).toBe(true)
    expect((await current()).status).toBe(200)
  })

  test('has to renew a token from before its end', async () => {
    expect((await current()).status).toBe(200)
    await during(`tokens_not_before = now() + interval '1 hour'`, async () => {
      expect((await current()).status).toBe(401)
      expect((await send()).status).toBe(401)
    })
  })

  test('has the permissions of now, fewer or more', async () => {
    const executionId = randomUUID()
    expect((await send(executionId)).status).toBe(202)
    await during(`roles = '{auditor}'`, async () => {
      expect(await send(executionId)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
      expect(await send(executionId)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    })
    expect((await send(executionId)).status).toBe(202)
    expect(await stored(executionId)).toBe(2)
  })

  test('gets the tenant of now', async () => {
    const nameOf = async () => payload<{ displayName: string }>(await current()).displayName
    const before = await nameOf()
    await owner.query(`update tenants set display_name = 'Renamed' where id = $1`, [tenantId])
    expect(await nameOf()).toBe('Renamed')
    await owner.query('update tenants set display_name = $2 where id = $1', [tenantId, before])
    expect(await nameOf()).toBe(before)
  })

  test('gets the refusal of an invalid input with the headers of every answer', async () => {
    const [answer, good] = [await api.query(sender, 'executions.get', { id: 'not an id' }), await current()]
    expect(answer.status).toBe(400)
    for (const name of ['ratelimit', 'x-request-id', 'cache-control'])
      expect([name, answer.headers.has(name)]).toEqual([name, good.headers.has(name)])
    expect((await send(undefined, 'x'.repeat(2_000_000))).status).toBe(413)
  })

  const remaining = ({ headers }: Answer) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])

  test('spends one call of the tenant’s budget for each call', async () => {
    const first = remaining(await current())
    expect(remaining(await current())).toBe(first - 1)
    expect(remaining(await send())).toBe(first - 2)
  })

  test('spends none of it after the first refusal', async () => {
    const first = remaining(await current())
    await during(`status = 'suspended'`, async () => {
      for (let call = 0; call < 5; call++) expect((await current()).status).toBe(403)
    })
    // The last call, and the one that found the change.
    expect(remaining(await current())).toBeGreaterThanOrEqual(first - 2)
  })
})
