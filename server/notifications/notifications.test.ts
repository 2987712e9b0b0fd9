import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { NotificationEvent } from '#lib/schemas/notifications/channels.ts'
import { decide } from '#server/approvals/decide.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { onDecided } from '#server/approvals/subjects.ts'
import { describeApproval } from '#server/approvals/telling/describe.ts'
import { registerDecisions } from '#server/jobs.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute, type Mutation, type Query } from '#server/kernel/operation.ts'
import { mailing } from '#server/mail/jobs.ts'
import { approverGroup, askForRefund } from '#server/testing/approval-request.ts'
import { startSmtp, type TestSmtp } from '#server/testing/fakes/smtp.ts'
import { freePort } from '#server/testing/free-port.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { findChannel, setChannel } from './channel-store.ts'
import { createChannel } from './create-channel.ts'
import { notifications } from './deliver.ts'
import { isDescribed, onDescribe } from './describe.ts'
import { sealEndpoint, signedHeaders } from './endpoint.ts'
import { listChannels } from './list-channels.ts'
import { listDeliveries } from './list-deliveries.ts'
import { bodyOf, mailOf } from './message.ts'
import { removeChannel } from './remove-channel.ts'
import { resend } from './resend.ts'
import { rotateSecret } from './rotate-secret.ts'
import { queueDelivery } from './tell-channels.ts'
import { testChannel } from './test-channel.ts'
import { updateChannel } from './update-channel.ts'

// Channels to the outside, with a real receiver on this machine that can be told to fail.

type Received = { path: string; headers: IncomingMessage['headers']; body: string }
const received: Received[] = []
/** By path: what to answer; 'silence' never answers, 'cut' closes the connection after the body, 'cut answer' within the answer. */
const behaviours = new Map<string, number | 'silence' | 'cut' | 'cut answer'>()
const server = createServer((request, response) => void take(request, response))

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const path = request.url ?? ''
  received.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString('utf8') })
  const behaviour = behaviours.get(path) ?? 204
  if (behaviour === 'cut') return void request.socket.destroy()
  if (behaviour === 'silence') return
  if (behaviour === 'cut answer') {
    response.writeHead(200, { 'content-length': '1000' })
    return void response.write('half', () => request.socket.destroy())
  }
  response.writeHead(behaviour, behaviour === 302 ? { location: '/elsewhere' } : {}).end()
}

let base: string
let smtp: TestSmtp
let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  smtp = await startSmtp()
  running = await testRuntime({ environment: { ALLOWED_PRIVATE_HOSTS: '127.0.0.1', SMTP_URL: smtp.url } })
  onDecided('tool_call', () => Promise.resolve())
  onDescribe('approval', describeApproval)
  await running.queue.work([expiry, notifications, mailing])
})
afterAll(async () => {
  await running.close()
  await smtp.close()
  server.closeAllConnections()
  await new Promise<void>((resolve) => server.close(() => resolve()))
})
beforeEach(() => {
  received.length = 0
  behaviours.clear()
})

async function scene() {
  const tenant = await testTenant(running)
  return {
    tenant,
    admin: await tenant.as('admin', { roles: ['tenant_admin'] }),
    maria: await tenant.as('maria', { roles: ['developer'] }),
    jonas: await tenant.as('jonas', { roles: ['approver'], groups: [approverGroup] }),
  }
}
const run = <I, O>(operation: Query<I, O> | Mutation<I, O>, caller: Caller, input: unknown): Promise<O> =>
  execute(operation, caller, input, { name: 'test' })
const adds = (caller: Caller, path: string, more: object = {}) =>
  run(createChannel, caller, {
    kind: 'webhook',
    name: `Channel ${path}`,
    address: `${base}${path}`,
    events: ['approval.requested', 'approval.decided'],
    ...more,
  })
const at = (path: string, count = 1) =>
  until(() => {
    const found = received.filter((one) => one.path === path)
    return Promise.resolve(found.length >= count ? found : undefined)
  }, `${count} messages at ${path}`)
const deliveries = async (caller: Caller) => (await run(listDeliveries, caller, { limit: 50 })).items
const settled = (caller: Caller, count = 1) =>
  until(async () => {
    const found = (await deliveries(caller)).filter(({ settledAt }) => settledAt !== null)
    return found.length >= count ? found : undefined
  }, `${count} deliveries are settled`)

describe('a webhook', () => {
  test('gets each event that it wants, signed, without arguments, and the secret and address are not shown again', async () => {
    const { tenant, admin, maria, jonas } = await scene()
    const { id, secret = '' } = await adds(admin, '/hook')
    const { approvalId, payloadDigest } = await askForRefund(tenant, maria, {
      payload: { arguments: { iban: 'DE02' } },
    })
    const [request] = await at('/hook')
    expect(JSON.parse(request?.body ?? '')).toEqual({
      type: 'approval.requested',
      timestamp: expect.any(String),
      data: {
        tenant: tenant.displayName,
        tenantId: tenant.externalId,
        approvalId,
        agentId: expect.any(String),
        outcome: 'pending',
        title: 'Issue refund for A-1',
        risk: 'high',
        requestedBy: 'maria',
        digest: payloadDigest.replace('sha256:', '').slice(0, 8),
        // With the organisation, for a browser in which no one has signed in there before.
        link: `${running.config.baseUrl}/t/${tenant.externalId}/approvals/${approvalId}?organisation=${tenant.slug}`,
      },
    })
    const {
      'webhook-id': messageId,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    } = request?.headers ?? {}
    const now = new Date(Number(timestamp) * 1000)
    expect(
      signedHeaders({ address: '', secrets: [{ secret }] }, { id: String(messageId), body: request?.body ?? '', now })[
        'webhook-signature'
      ],
    ).toBe(signature)
    await run(decide, jonas, {
      approvalId,
      decision: 'approve',
      decisionAcknowledged: true,
      reason: 'Checked the order.',
    })
    const [, decided] = await at('/hook', 2)
    expect(JSON.parse(decided?.body ?? '')).toMatchObject({
      type: 'approval.decided',
      data: { title: 'Approved: Issue refund for A-1', tenantId: tenant.externalId, approvalId, outcome: 'approved' },
    })
    // By the event, also when the message is sent after the decision.
    const outcomes = await running.database.inTenant(tenant.id, async (tx) => {
      const found: (string | undefined)[] = []
      for (const event of ['approval.reminded', 'approval.escalated', 'approval.expired'] as const)
        found.push((await describeApproval(tx, maria.tenant, approvalId, {}, event))?.outcome)
      return found
    })
    expect(outcomes).toEqual(['pending', 'pending', 'expired'])
    expect(await settled(admin, 2)).toMatchObject([
      { channelId: id, event: 'approval.decided', subjectId: approvalId, delivery: 'delivered', attempts: 1 },
      { event: 'approval.requested', delivery: 'delivered' },
    ])
    const shown = JSON.stringify(await run(listChannels, admin, {}))
    expect(shown).not.toContain(secret)
    expect(shown).not.toContain(`${base}/hook`)
  })

  test('signs as the published example of Standard Webhooks does', () => {
    const headers = signedHeaders(
      { address: '', secrets: [{ secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }] },
      { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}', now: new Date(1_614_265_330_000) },
    )
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  test('signs with both secrets after a rotation', async () => {
    const { admin } = await scene()
    const { id, secret = '' } = await adds(admin, '/rotated')
    const next = await run(rotateSecret, admin, { id, expectedRevision: 1 })
    await run(testChannel, admin, { id })
    const [request] = await at('/rotated')
    const {
      'webhook-id': messageId,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    } = request?.headers ?? {}
    const one = (key: string) =>
      signedHeaders(
        { address: '', secrets: [{ secret: key }] },
        { id: String(messageId), body: request?.body ?? '', now: new Date(Number(timestamp) * 1000) },
      )['webhook-signature']
    expect(signature).toBe(`${one(next.secret)} ${one(secret)}`)
    await expect(run(rotateSecret, admin, { id, expectedRevision: 1 })).rejects.toMatchObject({
      code: 'revision_conflict',
    })
  })

  test.each([500, 404, 302, 'silence', 'cut'] as const)(
    'that answers %s gets the same message with the same id again',
    { timeout: 60_000 },
    async (behaviour) => {
      const { admin } = await scene()
      const path = `/again-${behaviour}`
      behaviours.set(path, behaviour)
      const { id } = await adds(admin, path)
      await run(testChannel, admin, { id })
      await at(path)
      behaviours.delete(path)
      const [first, second] = await at(path, 2)
      expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
      expect(second?.body).toBe(first?.body)
      expect(await settled(admin)).toMatchObject([{ delivery: 'delivered', attempts: 2, error: null }])
      expect(received.map((one) => one.path)).not.toContain('/elsewhere')
    },
  )

  test('that closes the connection within its answer has taken the message', async () => {
    const { admin } = await scene()
    behaviours.set('/cut-answer', 'cut answer')
    const { id } = await adds(admin, '/cut-answer')
    await run(testChannel, admin, { id })
    expect(await settled(admin)).toMatchObject([{ delivery: 'delivered', attempts: 1 }])
  })

  test('that answers 410 is disabled, and its message is a dead letter that a person sends again', async () => {
    const { admin } = await scene()
    behaviours.set('/gone', 410)
    const { id } = await adds(admin, '/gone')
    await run(testChannel, admin, { id })
    const [dead] = await settled(admin)
    expect(dead).toMatchObject({ delivery: 'failed', error: 'The address answered 410.' })
    const { items } = await run(listChannels, admin, {})
    expect(items).toMatchObject([{ status: 'disabled', disabledReason: 'Its address answered 410: it is gone.' }])
    await expect(run(testChannel, admin, { id })).rejects.toMatchObject({ code: 'conflict' })
    behaviours.delete('/gone')
    const { channel } = await run(updateChannel, admin, { id, expectedRevision: 2, status: 'active' })
    expect(channel).toMatchObject({ status: 'active', disabledReason: null })
    await run(resend, admin, { id: dead?.id, expectedRevision: dead?.revision })
    expect(await settled(admin)).toMatchObject([{ id: dead?.id, delivery: 'delivered', attempts: 2 }])
  })
})

test.each([500, 'cut', 'refused'] as const)(
  'a channel whose messages are answered by %s is listed as failing, with since when and why, until one arrives',
  { timeout: 60_000 },
  async (behaviour) => {
    const { tenant, admin } = await scene()
    const path = `/failing-${behaviour}`
    if (behaviour !== 'refused') behaviours.set(path, behaviour)
    const more = behaviour === 'refused' ? { address: `http://127.0.0.1:${await freePort()}/` } : {}
    const { id } = await adds(admin, path, more)
    await adds(admin, '/fine')
    const failing = async () => {
      const { items } = await run(listChannels, admin, {})
      expect(items.find(({ name }) => name === 'Channel /fine')).toMatchObject({ status: 'active', failing: null })
      return items.find((one) => one.id === id)?.failing
    }
    expect(await failing()).toBeNull()
    // Can't be sent, which says nothing about the address.
    await running.database.inTenant(tenant.id, (tx) =>
      queueDelivery(tx, tenant.id, { channelId: id, event: 'approval.decided', subjectId: newId(), facts: {} }),
    )
    await settled(admin)
    expect(await failing()).toBeNull()

    await run(testChannel, admin, { id })
    const found = await until(async () => (await failing()) ?? undefined, 'the channel is failing')
    const [last] = (await deliveries(admin)).filter(({ event }) => event === 'test')
    expect(found).toMatchObject({ since: last?.createdAt, messages: 1, error: expect.stringMatching(/./) })
    if (behaviour === 500) expect(found.error).toBe('The address answered 500.')
    behaviours.delete(path)
    if (behaviour === 'refused') {
      const [channel] = (await run(listChannels, admin, {})).items.filter((one) => one.id === id)
      await run(updateChannel, admin, { id, expectedRevision: channel?.revision, address: `${base}${path}` })
    }
    await run(testChannel, admin, { id })
    await until(async () => ((await failing()) === null ? true : undefined), 'the channel delivers again')
  },
)

describe('Slack and Teams', () => {
  test.each(['slack', 'teams'] as const)(
    '%s: without an answer after the body the outcome is unknown',
    async (kind) => {
      const { tenant, admin } = await scene()
      behaviours.set(`/${kind}`, 'cut')
      const { id, secret } = await adds(admin, `/${kind}`, { kind })
      expect(secret).toBeUndefined()
      await run(testChannel, admin, { id })
      const [unknown] = await settled(admin)
      expect(unknown).toMatchObject({ delivery: 'unknown', attempts: 1 })
      // A job that runs again sends nothing either.
      await notifications.run({ tenantId: tenant.id, id: unknown?.id ?? '' }, 0)
      expect(received).toHaveLength(1)
      behaviours.delete(`/${kind}`)
      await run(resend, admin, { id: unknown?.id, expectedRevision: unknown?.revision })
      expect(await settled(admin)).toMatchObject([{ delivery: 'delivered' }])
    },
  )

  test('show a title as text, whatever a stranger put in it', () => {
    const about = { title: '<!channel> *pay* [here](https://evil.example)\nnow', link: 'https://countersign.example/x' }
    const message = { event: 'approval.requested', at: '', tenant: 'Northwind', tenantId: 'northwind', about }
    const slack = JSON.stringify(bodyOf('slack', message))
    expect(slack).toContain('"text":"Decision requested: &lt;!channel&gt; *pay*')
    expect(slack).not.toContain('mrkdwn')
    const teams = JSON.stringify(bodyOf('teams', message))
    expect(teams).toContain(String.raw`\\[here\\]\\(https://evil.example\\) now`)
  })
})

test('what one domain reports, it can describe', () => {
  registerDecisions()
  const kinds = NotificationEvent.options.map((event) => event.split('.')[0] ?? '')
  expect(kinds.filter((kind) => !isDescribed(kind))).toEqual([])
})

test.each([
  ['http://127.0.0.2:4600/hook', '127.0.0.2:4600 must be called with https.'],
  ['https://169.254.169.254/latest', '169.254.169.254 does not resolve to a public address.'],
  ['https://[::1]/hook', '[::1] does not resolve to a public address.'],
])('the address %s is refused when it is entered, with the reason', async (address, message) => {
  const { admin } = await scene()
  const refusal = { code: 'validation_failed', message, issues: [{ path: 'address', message }] }
  for (const kind of ['webhook', 'slack', 'teams'])
    await expect(adds(admin, '/x', { kind, address })).rejects.toMatchObject(refusal)
  const { id } = await adds(admin, '/x')
  await expect(run(updateChannel, admin, { id, expectedRevision: 1, address })).rejects.toMatchObject(refusal)
  await expect(adds(admin, '/name', { address: 'https://localhost/hook' })).resolves.toBeDefined()
})

test('an address with a port that fetch blocks is refused, and a message to one is not said to be sent', async () => {
  const { tenant, admin } = await scene()
  await expect(adds(admin, '/x', { kind: 'slack', address: 'https://hooks.example:6000/x' })).rejects.toThrow(
    'Port 6000 can’t be called',
  )
  const { id } = await adds(admin, '/x', { kind: 'slack' })
  // As of a channel that was added before ports were checked.
  await running.database.inTenant(tenant.id, async (tx) => {
    const endpoint = await sealEndpoint(tx, tenant.id, id, { address: 'http://127.0.0.1:6000/x', secrets: [] })
    const row = await findChannel(tx, tenant.id, id)
    if (row !== undefined) await setChannel(tx, tenant.id, { ...row, endpoint })
  })
  await run(testChannel, admin, { id })
  expect(await settled(admin)).toMatchObject([
    { delivery: 'failed', attempts: 1, error: expect.stringContaining('Port 6000 can’t be called') },
  ])
})

test('an address that is not public is not called, and the reason is shown', async () => {
  const { tenant, admin } = await scene()
  const { id } = await adds(admin, '/x', { name: 'Metadata' })
  // As of a channel that was added when the operator still allowed it.
  await running.database.inTenant(tenant.id, async (tx) => {
    const endpoint = await sealEndpoint(tx, tenant.id, id, { address: 'https://169.254.169.254/latest', secrets: [] })
    const row = await findChannel(tx, tenant.id, id)
    if (row !== undefined) await setChannel(tx, tenant.id, { ...row, endpoint })
  })
  await run(updateChannel, admin, { id, expectedRevision: 2, name: 'Renamed' })
  await run(testChannel, admin, { id })
  expect(await settled(admin)).toMatchObject([
    { delivery: 'failed', attempts: 1, error: '169.254.169.254 does not resolve to a public address.' },
  ])
})

test('only administrators of the tenant see and change channels, and a removed one sends nothing', async () => {
  const { tenant, admin, maria } = await scene()
  const { id } = await adds(admin, '/removed')
  await expect(adds(maria, '/other')).rejects.toMatchObject({ code: 'forbidden' })
  await expect(adds(admin, '/removed')).rejects.toMatchObject({ code: 'name_conflict' })
  await expect(run(listChannels, maria, {})).rejects.toMatchObject({ code: 'forbidden' })
  await run(removeChannel, admin, { id, reason: 'The ticket system was replaced.' })
  const { approvalId } = await askForRefund(tenant, maria)
  expect(approvalId).toBeDefined()
  expect(await deliveries(admin)).toEqual([])
  expect(received).toEqual([])
})

describe('mail', () => {
  const addsMail = (caller: Caller, recipient: string) =>
    run(createChannel, caller, {
      kind: 'mail',
      name: `Mail to ${recipient}`,
      address: `${recipient}@northwind.example`,
      events: ['approval.requested'],
    })
  const mailTo = (recipient: string) =>
    until(
      () => Promise.resolve(smtp.received.find(({ to }) => to === `${recipient}@northwind.example`)),
      `mail to ${recipient}`,
    )

  test('names what happened, with a link and without arguments', async () => {
    const { tenant, admin, maria } = await scene()
    expect(await addsMail(admin, 'team')).not.toHaveProperty('secret')
    const { approvalId } = await askForRefund(tenant, maria, { payload: { arguments: { iban: 'DE02' } } })
    const { text } = await mailTo('team')
    expect(text).toContain('Subject: Decision requested: Issue refund for A-1')
    expect(text).toContain('Auto-Submitted: auto-generated')
    expect(text).toContain(`/t/${tenant.externalId}/approvals/${approvalId}`)
    expect(text).not.toContain('DE02')
    expect(await settled(admin)).toMatchObject([{ delivery: 'delivered', attempts: 1, error: null }])
    const { items } = await run(listChannels, admin, {})
    expect(items).toMatchObject([{ kind: 'mail', host: 'northwind.example' }])
    expect(JSON.stringify(items)).not.toContain('team@')
  })

  test.each([
    ['refuse-recipient', 'failed', 'The SMTP server refused the message (550).'],
    ['refuse-message', 'failed', 'The SMTP server refused the message (554).'],
    ['drop-after-dot', 'unknown', 'The SMTP server did not respond after the message was transmitted.'],
  ] as const)('%s is %s with its reason, and only a person sends it again', async (behaviour, delivery, error) => {
    const { admin } = await scene()
    smtp.behave(behaviour, behaviour)
    const { id } = await addsMail(admin, behaviour)
    await run(testChannel, admin, { id })
    const [found] = await settled(admin)
    expect(found).toMatchObject({ delivery, error, attempts: 1 })
    await run(resend, admin, { id: found?.id, expectedRevision: found?.revision })
    await until(async () => (await deliveries(admin))[0]?.attempts === 2 || undefined, 'a person sent it again')
  })

  test.each([
    ['mail', 'https://northwind.example/hook'],
    ['mail', 'a@northwind.example, b@northwind.example'],
    ['mail', 'a@northwind.example\r\nBcc: b@evil.example'],
    ['webhook', 'team@northwind.example'],
    ['slack', 'mailto:team@northwind.example'],
    ['teams', 'https://user:word@northwind.example/'],
  ])('a channel of kind %s does not take the address %j, also not later', async (kind, address) => {
    const { admin } = await scene()
    const right = kind === 'mail' ? 'team@northwind.example' : `${base}/hook`
    const input = { kind, name: 'One', events: ['approval.requested'] }
    await expect(run(createChannel, admin, { ...input, address })).rejects.toMatchObject({
      status: 400,
      issues: [expect.objectContaining({ path: 'address' })],
    })
    const { id } = await run(createChannel, admin, { ...input, address: right })
    await expect(run(updateChannel, admin, { id, expectedRevision: 1, address })).rejects.toMatchObject({
      code: 'validation_failed',
      issues: [expect.objectContaining({ path: 'address' })],
    })
  })

  test('a title with line breaks stays in its line', () => {
    const about = { title: 'Refund\r\nBcc: b@evil.example\n\nPay', link: 'https://countersign.example/t/a' }
    const message = {
      event: 'approval.requested',
      at: '2026-11-23T09:31:04.120Z',
      tenant: 'Northwind',
      tenantId: 'northwind',
      about,
    }
    const { subject, text } = mailOf(message, 'Team\nof two')
    expect(subject).toBe('Decision requested: Refund Bcc: b@evil.example Pay')
    expect(text).not.toMatch(/^Bcc/m)
    expect(text.split('\n')).toContain(about.link)
  })
})
