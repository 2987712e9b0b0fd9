import { afterAll, beforeAll, expect, test } from 'vitest'
import { evidenceExports } from '#server/evidence/jobs/export-jobs.ts'
import { api } from '#server/routes.ts'
import { signIn } from '#server/testing/auth/sign-in.ts'
import { type IdentityServer, identityServer, testRealm } from '#server/testing/identity-server.ts'
import { connectAsOwner } from '#server/testing/owner.ts'

// The header x-svc-justification, on a REST route and on a procedure that both take a justification in their body.

let server: IdentityServer
let token: string
beforeAll(async () => {
  server = await identityServer()
  // The queue exists, but no export runs.
  await server.runtime.queue.work([{ ...evidenceExports, run: () => Promise.resolve() }])
  const realm = await testRealm(server, 'northwind')
  const { password } = await realm.person('pia', ['auditor', 'privacy_officer'])
  token = (await signIn(server.url, 'northwind', 'pia', password)).accessToken
})
afterAll(() => server.close())

const stated = 'Frau Müller möchte wissen, was über sie gespeichert ist. 100 %'
const encoded = encodeURIComponent(stated)

const post = async (path: string, body: object, header?: string) => {
  const answer = await api.fetch(
    new Request(`${server.url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(header === undefined ? {} : { 'x-svc-justification': header }),
      },
      body: JSON.stringify(body),
    }),
  )
  return { status: answer.status, text: await answer.text() }
}

const start = new Date(Date.now() - 3_600_000).toISOString()
const period = { startDate: start, endDate: new Date().toISOString(), includeProofs: false }
/** Transports with the status of a request that has got past the justification: the trace does not exist. */
const transports: [name: string, status: number, send: (justification?: string, header?: string) => Promise<Answer>][] =
  [
    [
      'a route',
      202,
      (justification, header) =>
        post('/v1/evidence/export-jobs', { ...period, includeRawPayloads: true, justification }, header),
    ],
    [
      'a procedure',
      404,
      (justification, header) =>
        post('/v1/traces.unmask', { traceId: 'a'.repeat(32), purpose: 'Access request', justification }, header),
    ],
  ]
type Answer = Awaited<ReturnType<typeof post>>

test.each(transports)(
  '%s takes the justification from the body, the header, or both if they are equal',
  async (_name, status, send) => {
    expect((await send(stated)).status).toBe(status)
    expect((await send(undefined, encoded)).status).toBe(status)
    expect((await send(stated, encoded)).status).toBe(status)
    expect((await send(` ${stated}\n`, encoded)).status).toBe(status)
  },
)

test.each(transports)(
  '%s refuses two that differ, and one that does not justify anything',
  async (_name, _status, send) => {
    const other = await send(`${stated} And more.`, encoded)
    expect([other.status, other.text]).toEqual([400, expect.stringContaining('differ')])
    expect((await send()).status).toBe(400)
    for (const poor of ['x'.repeat(20), '\u200b'.repeat(30), 'too short', ''])
      for (const answer of [await send(poor), await send(undefined, encodeURIComponent(poor))])
        expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('20 to 2,000 characters')])
  },
)

test.each(transports)('%s refuses a header that is not percent-encoded UTF-8', async (_name, _status, send) => {
  for (const header of ['100 % of the customers asked', '%C3', '%ff%fe', `${stated.slice(0, 20)} caf\u00e9`]) {
    const answer = await send(stated, header)
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('percent-encoded UTF-8')])
  }
  expect((await send(undefined, `${encoded}%00`)).status).toBe(400)
  expect((await send(undefined, `${encoded}%ED%A0%80`)).status).toBe(400)
})

test('the record contains the header’s text as it was written', async () => {
  const { text } = await post('/v1/evidence/export-jobs', { ...period, includeRawPayloads: true }, encoded)
  const { exportId }: { exportId: string } = JSON.parse(text)
  const owner = await connectAsOwner(server.runtime)
  const { rows } = await owner.query(
    `select record->>'reason' as reason from audit_records
     where type = 'evidence_export.raw_payloads_requested' and record->'resource'->>'id' = $1`,
    [exportId],
  )
  await owner.end()
  expect(rows).toEqual([{ reason: stated }])
})
