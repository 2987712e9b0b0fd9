import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { approve, releaseRefundAgent } from '#server/testing/refund-agent.ts'
import { until } from '#server/testing/until.ts'

// The conditions for starting an execution are checked again before each governed call, including approved calls.

let api: TestApi
let operator: string
let executions: ReturnType<typeof executionsOf>
beforeAll(async () => {
  api = await startApi()
  operator = await api.person('omar')
  executions = executionsOf(api)
}, 180_000)
afterAll(() => api.close())

/** An execution that waits for an approval. */
async function waiting(name: string) {
  const agentId = await releaseRefundAgent(api, name)
  const id = await executions.start(agentId, { orderId: 'A-1003' })
  return { agentId, id, approvalId: await approvalOf(id) }
}
const approvalOf = (id: string) =>
  until(
    async () => (await executions.get(id)).steps.find((step) => step.id === 'refund')?.approvalId ?? undefined,
    `${id} waits`,
  )
/** Revokes the active item of a list. */
async function revoke(things: 'releases' | 'policyBindings', agentId: string) {
  const { items } = payload<{ items: { id: string; status: string; revision: number }[] }>(
    await api.query(operator, `${things}.list`, { agentId }),
  )
  const active = items.find(({ status }) => status === 'active')
  const input = { id: active?.id, expectedRevision: active?.revision, reason: 'No longer.' }
  payload(await api.mutate(operator, `${things}.revoke`, input))
}
const calls = async (id: string) =>
  (await readFile(join(api.gate, 'calls.log'), 'utf8')).split('\n').filter((line) => line.endsWith(`${id}:refund`))

test.each([
  ['release', 'releases', 'release_required'],
  ['binding', 'policyBindings', 'policy_binding_required'],
] as const)(
  'an approved call is not made after its %s was revoked',
  async (name, things, code) => {
    const { agentId, id, approvalId } = await waiting(`recheck-${name}`)
    await revoke(things, agentId)
    await approve(api, approvalId)
    const { status, error } = await executions.ended(id)
    expect([status, error?.code]).toEqual(['denied', code])
    expect(await calls(id)).toEqual([])
  },
  60_000,
)

test('a first call is decided by bindings that change after the start, in the same turn', async () => {
  const agentId = await releaseRefundAgent(api, 'recheck-changed')
  const started = async () => {
    const id = await executions.start(agentId, { orderId: 'A-1003' })
    await approvalOf(id)
    return { id, types: (await executions.events(id)).map(({ type }) => type) }
  }
  const before = await started()
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  try {
    // As if another process had changed the bindings between the start and the first turn.
    await owner.query(`
      create function change_bindings() returns trigger language plpgsql security definer as $$
      begin
        update public.policy_binding_revisions set revision = gen_random_uuid() where tenant_id = new.tenant_id;
        return null;
      end $$;
      create trigger change_bindings after insert on executions for each row execute function change_bindings()`)
    const { id, types } = await started()
    expect(types).toEqual(before.types)
    const { rows } = await owner.query('select retry_count from pgboss.job where singleton_key = $1', [id])
    expect(rows).toEqual([{ retry_count: 0 }])
  } finally {
    await owner.query('drop trigger if exists change_bindings on executions; drop function if exists change_bindings')
    await owner.end()
  }
}, 60_000)

test('an execution continues under a superseded release', async () => {
  const { agentId, id, approvalId } = await waiting('recheck-superseded')
  const ci = await api.client('ci-pipeline')
  const again = { agentId, version: '1.4.0', environment: 'production' }
  await approve(api, payload<{ approvalId: string }>(await api.mutate(ci, 'releases.propose', again)).approvalId)
  await approve(api, approvalId)
  expect((await executions.ended(id)).status).toBe('succeeded')
  expect(await calls(id)).toHaveLength(2)
}, 60_000)
