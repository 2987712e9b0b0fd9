import { randomUUID } from 'node:crypto'
import { createTRPCClient, createWSClient, wsLink } from '@trpc/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { Topic } from '#lib/rules/changes.ts'
import type { ChangeEvent } from '#lib/schemas/changes.ts'
import { wireTransformer } from '#lib/wire.ts'
import type { AppRouter } from '#server/router.ts'
import { type Answer, payload } from '#server/testing/api.ts'
import { type TwoNodes, twoNodes } from '#server/testing/processes/two-nodes.ts'
import { releaseRefundAgent } from '#server/testing/refund-agent.ts'
import { until } from '#server/testing/until.ts'

// changes.stream over real sockets of two nodes: what arrives, what never does, and what a stream that resumes has missed.

let nodes: TwoNodes
beforeAll(async () => {
  nodes = await twoNodes()
}, 240_000)
afterAll(() => nodes.close())

type Change = Extract<ChangeEvent, { type: 'change' }>

/** Follows topics at one node. `received` begins after what a new stream replays. */
async function follow(token: string, topics: Topic[], { at = nodes.api.baseUrl, lastEventId = '' } = {}) {
  const socket = createWSClient({
    url: `${at.replace('http', 'ws')}/v1`,
    WebSocket: WebSocket as never,
    connectionParams: { authorization: `Bearer ${token}` },
    retryDelayMs: () => 60_000,
  })
  const client = createTRPCClient<AppRouter>({ links: [wsLink({ client: socket, transformer: wireTransformer })] })
  const state = {
    all: [] as Change[],
    lastId: '',
    code: undefined as string | undefined,
    closed: false,
    close: () => socket.close(),
  }
  client.changes.stream.subscribe(lastEventId === '' ? { topics } : { topics, lastEventId }, {
    onData({ id, data }) {
      state.lastId = id
      if (data.type === 'change') state.all.push(data)
    },
    onConnectionStateChange: ({ state: connection }) => {
      if (connection === 'connecting' && state.lastId !== '') state.closed = true
    },
    onError: (error) => {
      state.code = error.data?.reason ?? 'unknown'
    },
  })
  await until(async () => (state.lastId !== '' || state.code !== undefined ? true : undefined), 'the stream began')
  return state
}
const idsOf = ({ all }: { all: Change[] }, topic: Topic) =>
  all.flatMap((change) => (change.topic === topic && change.id !== null ? [change.id] : []))
const arrives = (state: { all: Change[] }, topic: Topic, id: string) =>
  until(async () => (idsOf(state, topic).includes(id) ? true : undefined), `${topic} ${id} arrived`, 10_000)

const done = <T>(answer: Answer): T => {
  expect(answer.status, answer.text).toBeLessThan(300)
  return payload<T>(answer)
}
const createSecret = async (token: string) =>
  done<{ secretId: string }>(
    await nodes.api.mutate(token, 'secrets.create', { name: `s-${randomUUID()}`, value: 'a value' }),
  ).secretId

/** A service account of its own, with its token. */
async function machine(roles: string[]) {
  const made = done<{ clientId: string; clientSecret: string }>(
    await nodes.api.mutate(nodes.admin.northwind, 'serviceAccounts.create', { name: `m-${randomUUID()}`, roles }),
  )
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: made.clientId,
    client_secret: made.clientSecret,
  })
  const issued = await nodes.api.request(undefined, '/realms/northwind/protocol/openid-connect/token', {
    method: 'POST',
    body,
  })
  return { clientId: made.clientId, token: (issued.body as { access_token: string }).access_token }
}

describe('changes.stream', () => {
  test('reports topic, id and position of a change that is committed on another node, and nothing else', async () => {
    const stream = await follow(nodes.admin.northwind, ['secrets'], { at: nodes.node.baseUrl })
    const since = Date.now()
    const id = await createSecret(nodes.admin.northwind)
    await arrives(stream, 'secrets', id)
    expect(Date.now() - since).toBeLessThan(2000)
    const change = stream.all.find((one) => one.id === id)
    expect(change).toEqual({
      type: 'change',
      topic: 'secrets',
      id,
      revision: expect.stringMatching(/^\d{4}-\d\d-\d\d\./),
    })
    await stream.close()
  })

  test('reports an approval, its execution and what the decision changes', async () => {
    const maria = await nodes.api.person('maria')
    const stream = await follow(maria, ['approvals', 'executions', 'traces', 'seals'])
    const agentId = await releaseRefundAgent(nodes.api, `refund-${randomUUID()}`)
    const { executionId } = done<{ executionId: string }>(
      await nodes.api.mutate(maria, 'executions.execute', {
        agentId,
        environment: 'production',
        input: { orderId: 'A-1001' },
      }),
    )
    await arrives(stream, 'executions', executionId)
    const approvalId = await until(async () => {
      const listed = await nodes.api.query(maria, 'approvals.getPending', {})
      const { items } = payload<{ items: { approvalId: string; kind: string; executionId?: string }[] }>(listed)
      return items.find((item) => item.kind === 'tool_call' && idsOf(stream, 'approvals').includes(item.approvalId))
        ?.approvalId
    }, 'the request arrived')
    const before = stream.all.length
    done(
      await nodes.api.mutate(await nodes.api.person('jonas'), 'approvals.decide', {
        approvalId,
        decision: 'reject',
        decisionAcknowledged: true,
        reason: 'Not needed.',
      }),
    )
    await until(async () => {
      const later = { all: stream.all.slice(before) }
      const both = idsOf(later, 'approvals').includes(approvalId) && idsOf(later, 'executions').includes(executionId)
      return both ? true : undefined
    }, 'the decision and its execution arrived')
    // The checkpoint that covers it: a record's seal is no longer pending.
    await until(
      async () => stream.all.slice(before).find((change) => change.topic === 'seals'),
      'the checkpoint was reported',
    )
    await stream.close()
  }, 60_000)

  test('reports nothing of another tenant', async () => {
    const topics: Topic[] = ['secrets', 'audit', 'serviceAccounts', 'tenants']
    const stream = await follow(nodes.admin.globex, topics)
    const ours = await follow(nodes.admin.northwind, topics)
    const foreign = await createSecret(nodes.admin.northwind)
    const own = await createSecret(nodes.admin.globex)
    await arrives(ours, 'secrets', foreign)
    await arrives(stream, 'secrets', own)
    expect(idsOf(stream, 'secrets')).not.toContain(foreign)
    expect(idsOf(stream, 'audit').filter((id) => idsOf(ours, 'audit').includes(id))).toEqual([])
    await stream.close()
    await ours.close()
  })

  test('refuses a topic that the caller may not read, and names the permission', async () => {
    const stream = await follow(await nodes.api.person('maria'), ['approvals', 'secrets'])
    expect(stream.code).toBe('forbidden')
    expect(stream.all).toEqual([])
    await stream.close()
  })

  test('ends when the membership is suspended while it is open', async () => {
    const { clientId, token } = await machine(['auditor'])
    const stream = await follow(token, ['secrets'])
    done(await nodes.api.mutate(nodes.admin.northwind, 'serviceAccounts.disable', { clientId }))
    const after = await createSecret(nodes.admin.northwind)
    await until(async () => (stream.closed || stream.code !== undefined ? true : undefined), 'the stream ended')
    expect(idsOf(stream, 'secrets')).not.toContain(after)
    await stream.close()
  })

  test.each([
    ['the membership was suspended', `status = 'suspended'`],
    ['the role was taken away', `roles = '{viewer}'`],
  ])('sends no further event after %s, also when no notification of that arrives', async (_, change) => {
    const { token } = await machine(['auditor'])
    const stream = await follow(token, ['secrets'])
    const seen = await createSecret(nodes.admin.northwind)
    await arrives(stream, 'secrets', seen)
    const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sub: string }
    // Behind the trigger's back: only the check before each event can see it.
    await nodes.owner.query(
      `begin; alter table members disable trigger members_changed;
       update members set ${change} where subject = '${sub.replaceAll("'", '')}';
       alter table members enable trigger members_changed; commit`,
    )
    const after = await createSecret(nodes.admin.northwind)
    await until(async () => stream.code, 'the stream ended')
    expect(stream.code).toBe('tenant_access_denied')
    expect(idsOf(stream, 'secrets')).not.toContain(after)
    await stream.close()
  })

  test('an API key follows nothing: its scope grants approvals.getPending alone', async () => {
    const created = done<{ key: string }>(
      await nodes.api.mutate(nodes.admin.northwind, 'secrets.createApiKey', {
        name: `k-${randomUUID()}`,
        permissions: ['decisions:read'],
      }),
    )
    const input = encodeURIComponent(JSON.stringify({ json: { topics: ['approvals'] } }))
    const refused = await fetch(new URL(`/v1/changes.stream?input=${input}`, nodes.api.baseUrl), {
      headers: { 'x-svc-api-key': created.key },
    })
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('"forbidden"')])
  })
})

describe('a stream that resumes', () => {
  test('gets what was committed while it was away, on any node', async () => {
    const first = await follow(nodes.admin.northwind, ['secrets'])
    const seen = await createSecret(nodes.admin.northwind)
    await arrives(first, 'secrets', seen)
    await first.close()
    const missed = [await createSecret(nodes.admin.northwind), await createSecret(nodes.admin.northwind)]
    const second = await follow(nodes.admin.northwind, ['secrets'], {
      at: nodes.node.baseUrl,
      lastEventId: first.lastId,
    })
    for (const id of missed) await arrives(second, 'secrets', id)
    expect(idsOf(second, 'secrets')).not.toContain(seen)
    await second.close()
  })

  test('gets "anything may have changed" where the log does not tell', async () => {
    const maria = await nodes.api.person('maria')
    const first = await follow(maria, ['executions', 'approvals'])
    await first.close()
    const second = await follow(maria, ['executions', 'approvals'], { lastEventId: first.lastId })
    expect(second.all).toContainEqual(expect.objectContaining({ topic: 'executions', id: null }))
    expect(second.all).not.toContainEqual(expect.objectContaining({ topic: 'approvals', id: null }))
    await second.close()
  })

  test.each([
    ['is too far behind', '2001-01-01.0.0'],
    ['names a place that the log does not have', '2999-01-01.5.0'],
  ])('gets "anything may have changed" in every topic when it %s', async (_, lastEventId) => {
    await nodes.owner.query(`
      insert into audit_records (tenant_id, date, seq, audit_id, type, record, nonce, digest, leaf_hash, created_at)
      select id, '2001-01-02', place, gen_random_uuid(), 'x', '{}', '', '', '', now()
      from tenants, generate_series(0, 600) as place where external_id = 'org-northwind-mutual'
      on conflict do nothing`)
    const stream = await follow(nodes.admin.northwind, ['secrets', 'members'], { lastEventId })
    await until(async () => (stream.all.length >= 2 ? true : undefined), 'both topics were reported')
    expect(stream.all.map(({ topic, id }) => [topic, id])).toEqual(
      expect.arrayContaining([
        ['secrets', null],
        ['members', null],
      ]),
    )
    const next = await createSecret(nodes.admin.northwind)
    if (lastEventId < '2999') await arrives(stream, 'secrets', next)
    await stream.close()
  })
})
