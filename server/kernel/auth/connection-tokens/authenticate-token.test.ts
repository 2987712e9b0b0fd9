import { afterAll, beforeAll, expect, test } from 'vitest'
import { create } from '#server/connection-tokens/create.ts'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { execute } from '#server/kernel/operation.ts'
import { asOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { admitCaller } from '../admit.ts'

// A token is a row of the database, so an administrator of the database could write one.

let running: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
beforeAll(async () => {
  running = await testRuntime()
  tenant = await testTenant(running)
  expect(await adoptTenant(tenant.id)).toBe(true)
})
afterAll(() => running.close())

const made = async (agents: string[]) => {
  const admin = await tenant.as('admin', { roles: ['tenant_admin'] })
  const sender = await tenant.as('sender', { roles: ['traces:write'], kind: 'service_account' })
  const input = { name: 'exporter', serviceAccountId: sender.principal.memberId, use: 'telemetry', agents }
  const { id, token } = await execute(create, admin, input, { name: 'connectionTokens.create' })
  return { id, token: token ?? '' }
}
const admitted = (token: string) =>
  admitCaller({
    authorization: `Bearer ${token}`,
    dpop: undefined,
    request: { method: 'POST', path: '/v1/traces' },
    tenantExternalId: undefined,
    tenantId: undefined,
    requestId: 'test',
  })

test('a token has the permission of its use, of those that its account has', async () => {
  const { id, token } = await made(['planner'])
  const { principal } = await admitted(token)
  expect(principal).toMatchObject({
    kind: 'service_account',
    username: 'sender',
    connection: { id, use: 'telemetry', agents: ['planner'] },
  })
  expect([...principal.permissions]).toEqual(['telemetry:write'])
})

test.each([
  ['other agents', `agents = null`],
  ['another use', `use = 'gateway'`],
  ['another account', `member_id = created_by`],
  ['a later expiry', `expires_at = expires_at + interval '1 year'`],
])('a token that SQL gave %s is refused', async (_name, change) => {
  const { id, token } = await made(['planner'])
  await asOwner(running, `update connection_tokens set ${change} where id = '${id}'`)
  const refused = change.startsWith('member_id') ? { code: 'unauthorized' } : { code: 'integrity_failed' }
  await expect(admitted(token)).rejects.toMatchObject(refused)
})

test('a token whose hash SQL replaced is refused', async () => {
  const [weak, strong] = [await made(['planner']), await made(['writer'])]
  await asOwner(
    running,
    `update connection_tokens set token_sha256 = sha256('free') where id = '${weak.id}';
     update connection_tokens set token_sha256 = sha256(convert_to('${weak.token}', 'UTF8')) where id = '${strong.id}'`,
  )
  await expect(admitted(weak.token)).rejects.toMatchObject({ code: 'integrity_failed' })
})
