import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'

// traces.getTrace and traces.verify name the tenant in their input, as specified.

const denied = '{"error":"Tenant access denied"}'
const northwind = 'org-northwind-mutual'
const globex = 'org-globex-2041'

let api: TestApi
let owner: Client
const traceId = 'c0ffee'.padEnd(32, '0')
let auditId: string
let anna: string
let jonas: string

beforeAll(async () => {
  api = await startApi()
  owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  const ofGlobex = async (select: string): Promise<string> => {
    const { rows } = await owner.query(
      `${select} where tenant_id = (select id from tenants where slug = 'globex') limit 1`,
    )
    return String(rows[0]?.id)
  }
  await owner.query(
    `insert into traces (tenant_id, trace_id, name, started_at)
     select id, $1, 'refund', now() from tenants where slug = 'globex'`,
    [traceId],
  )
  auditId = await ofGlobex('select audit_id as id from audit_records')
  // Anna is a guest in globex; Jonas is not.
  ;[anna, jonas] = await Promise.all([api.person('anna'), api.person('jonas')])
}, 180_000)
afterAll(async () => {
  await owner.end()
  await api.close()
})

const calls = [
  ['traces.getTrace', (tenant: string) => ({ traceId, tenantId: tenant, includeSensitiveData: false })],
  ['traces.verify', (tenant: string) => ({ tenant, auditId })],
] as const

const post = (token: string, procedure: string, body: object | string, headers: Record<string, string> = {}) =>
  api.request(token, `/v1/${procedure}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

describe.each(calls)('%s', (procedure, input) => {
  test('says that it expects the external id if the caller gives their own tenant’s id, and only then', async () => {
    const idOf = (slug: string) => api.credentials.tenants.find((tenant) => tenant.slug === slug)?.id ?? ''
    for (const answer of [
      await api.query(jonas, procedure, input(idOf('northwind'))),
      await post(jonas, procedure, input(idOf('northwind'))),
    ]) {
      expect(answer.status).toBe(400)
      expect(answer.text).toContain('Give its external id: the field externalId of tenants.current.')
    }
    for (const id of [idOf('globex'), '01a1f934-0000-7000-8000-000000000001']) {
      const answer = await api.query(jonas, procedure, input(id))
      expect([answer.status, answer.text]).toEqual([403, denied])
    }
  })

  test('selects the tenant of its input if the caller is a member', async () => {
    const answer = payload<object>(await api.query(anna, procedure, input(globex)))
    expect(JSON.stringify(answer)).toContain(procedure === 'traces.verify' ? '"status":' : traceId)
    expect(answer).not.toMatchObject({ status: 'not_found' })
  })

  test('also selects it if the query is posted', async () => {
    for (const body of [{ json: input(globex) }, input(globex)]) {
      const answer = await post(anna, procedure, body)
      expect([answer.status, answer.text]).not.toContain(denied)
      expect(JSON.stringify(payload<object>(answer))).toContain(
        procedure === 'traces.verify' ? '"status":"' : `"traceId":"${traceId}"`,
      )
      expect(payload<object>(answer)).not.toMatchObject({ status: 'not_found' })
    }
    for (const [token, header] of [
      [jonas, undefined],
      [anna, northwind],
    ] as const) {
      const headers: Record<string, string> = header === undefined ? {} : { 'x-svc-tenant-external-id': header }
      const answer = await post(token, procedure, { json: input(globex) }, headers)
      expect([answer.status, answer.text]).toEqual([403, denied])
    }
    // A body is not validated before its sender is authorized, and completely validated afterwards.
    const broken = await post(anna, procedure, '{"json":')
    expect(broken.status).toBe(400)
  })

  test('gives a caller that is not a member the same answer as the header', async () => {
    for (const tenant of [globex, 'there-is-none']) {
      const answer = await api.query(jonas, procedure, input(tenant))
      expect([answer.status, answer.text]).toEqual([403, denied])
    }
  })

  test('is denied if header and input name different tenants', async () => {
    for (const [header, tenant] of [
      [northwind, globex],
      [globex, northwind],
    ] as const) {
      const answer = await api.query(anna, procedure, input(tenant), { 'x-svc-tenant-external-id': header })
      expect([answer.status, answer.text]).toEqual([403, denied])
    }
    const same = await api.query(anna, procedure, input(globex), { 'x-svc-tenant-external-id': globex })
    expect(same.status).toBe(200)
  })

  test('in a batch stays with the tenant of the caller', async () => {
    const batch = encodeURIComponent(JSON.stringify({ 0: { json: input(globex) }, 1: { json: null } }))
    const answer = await api.request(anna, `/v1/${procedure},session.me?batch=1&input=${batch}`)
    expect(answer.body).toMatchObject([
      { error: { json: { message: 'Tenant access denied' } } },
      { result: { data: { json: { tenant: { externalId: northwind } } } } },
    ])
  })
})
