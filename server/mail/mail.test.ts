import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Runtime } from '#server/kernel/runtime.ts'
import { drippingSmtp } from '#server/testing/fakes/dripping-smtp.ts'
import { startSmtp, type TestSmtp } from '#server/testing/fakes/smtp.ts'
import { asOwner, connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { type DeliveryChange, onDelivery } from './delivery-changes.ts'
import { mailing } from './jobs.ts'
import { queueMail } from './queue-mail.ts'
import { retryMail } from './retry.ts'
import { send } from './send.ts'
import { onAnotherAttempt } from './still-wanted.ts'
import { findMail, setInFlight } from './store.ts'

let smtp: TestSmtp
let runtime: Runtime & { close(): Promise<void> }
let tenant: TestTenant
const told: DeliveryChange[] = []
beforeAll(async () => {
  smtp = await startSmtp()
  runtime = await testRuntime({ environment: { SMTP_URL: smtp.url, MAIL_FROM: 'desk@countersign.example' } })
  // The tests play the worker.
  await runtime.queue.work([{ ...mailing, run: async () => undefined }])
  tenant = await testTenant(runtime)
  onDelivery('input_request', async (_tx, _tenant, change) => void told.push(change))
  // Another file in this worker may have registered the real one.
  onAnotherAttempt('input_request', async () => true)
})
afterAll(async () => {
  await runtime.close()
  await smtp.close()
})

const subjectId = '00000000-0000-7000-8000-000000000001'
const queue = (recipient: string, subject = 'A question') =>
  runtime.database.inTenant(tenant.id, async (tx) => {
    const mail = {
      kind: 'input_request' as const,
      language: 'en' as const,
      subjectId,
      recipient,
      subject,
      body: 'Please answer.',
    }
    return (await queueMail(tx, tenant, mail)).mailId
  })
const run = (id: string) => mailing.run({ tenantId: tenant.id, id }, 0)
const read = (id: string) => runtime.database.inTenant(tenant.id, (tx) => findMail(tx, tenant.id, id))
const retry = (id: string, by: 'person' | 'service_account' | 'api_key' = 'person') =>
  runtime.database.inTenant(tenant.id, (tx) => retryMail(tx, tenant, id, { by }))
const receivedBy = (recipient: string) => smtp.received.filter((message) => message.to === recipient)

test('a mail is delivered once, however often its job runs', async () => {
  const id = await queue('ann@northwind.example')
  for (let time = 0; time < 3; time += 1) await run(id)
  expect(await read(id)).toMatchObject({ delivery: 'delivered', attempts: 1, error: null })
  expect(receivedBy('ann@northwind.example')).toHaveLength(1)
  const states = told.filter((change) => change.mailId === id).map((change) => change.delivery)
  expect(states).toEqual(['in_flight', 'delivered'])
})

test('a subject is one header line, whatever it contains', async () => {
  const id = await queue('crlf@northwind.example', 'Hello\r\nBcc: victim@northwind.example\r\n\r\nbody')
  await run(id)
  const [message] = receivedBy('crlf@northwind.example')
  const headers = message?.text.split('\r\n\r\n')[0] ?? ''
  expect(headers).toMatch(/^Subject: Hello Bcc: victim@northwind\.example body$/m)
  expect(headers).not.toMatch(/^Bcc:/m)
})

const message = {
  from: { name: 'Desk', address: 'desk@x.example' },
  to: 'a@x.example',
  subject: 'S',
  text: 'T',
  html: '<p>Hello</p>',
  messageId: '<1@x.example>',
}
const never = new AbortController().signal

describe('a mail that did not arrive', () => {
  test.each([
    ['refuse-recipient', 'failed', /refused the message \(550\)/, 0],
    ['refuse-message', 'failed', /refused the message \(554\)/, 1],
    ['drop-after-dot', 'unknown', /did not respond/, 1],
  ] as const)('%s: %s', async (behaviour, delivery, error, messages) => {
    smtp.behave(behaviour, behaviour)
    const recipient = `${behaviour}@northwind.example`
    const id = await queue(recipient)
    await run(id)
    // Runs the job again, as after any restart: a settled outcome stays.
    await run(id)
    const mail = await read(id)
    expect([mail?.delivery, mail?.attempts]).toEqual([delivery, 1])
    expect(mail?.error).toMatch(error)
    expect(receivedBy(recipient)).toHaveLength(messages)
  })

  test('is unknown if the server does not answer after the final dot', async () => {
    smtp.behave('quiet', 'silent-after-dot')
    const outcome = await send(
      smtp.url,
      { ...message, to: 'quiet@x.example' },
      { connectMs: 1000, silenceMs: 300, wholeMs: 60_000 },
      never,
    )
    expect(outcome.delivery).toBe('unknown')
  })

  test('has failed if no server is listening', async () => {
    expect(
      (await send('smtp://127.0.0.1:9', message, { connectMs: 1000, silenceMs: 300, wholeMs: 60_000 }, never)).delivery,
    ).toBe('failed')
  })
})

describe('a mail server that answers byte by byte, without an end,', () => {
  const cases = [
    ['from its first answer on', 'EHLO', { delivery: 'failed', isTemporary: true }],
    ['after the final dot', '.', { delivery: 'unknown' }],
  ] as const

  test.each(cases)('%s, holds a sending until the limit of the whole', async (_from, command, outcome) => {
    const slow = await drippingSmtp(command)
    // The silence alone never ends it: a byte comes every few milliseconds.
    const patience = { connectMs: 10_000, silenceMs: 10_000, wholeMs: 500 }
    expect(await send(slow.url, message, patience, never)).toMatchObject(outcome)
    await slow.left
    await slow.close()
  })

  test.each(cases)('%s, holds a sending until the process stops', async (_from, command, outcome) => {
    const slow = await drippingSmtp(command)
    const cut = new AbortController()
    const patience = { connectMs: 60_000, silenceMs: 60_000, wholeMs: 600_000 }
    const sending = send(slow.url, message, patience, cut.signal)
    await slow.dripping
    cut.abort()
    const error = expect.stringContaining('The sending process ended')
    expect(await sending).toMatchObject({ ...outcome, error })
    await slow.left
    await slow.close()
  })
})

describe('a mail that was refused for the moment', () => {
  const ownerRows = async <T extends object>(text: string, values: unknown[]): Promise<T[]> => {
    const owner = await connectAsOwner(runtime)
    try {
      return (await owner.query<T>(text, values)).rows
    } finally {
      await owner.end()
    }
  }
  /** Seconds that the newest job of the mail waits. */
  const due = async (id: string) => {
    const rows = await ownerRows<{ seconds: number }>(
      `select round(extract(epoch from start_after - created_on))::int as seconds from pgboss.job_common
        where name = 'mail' and state = 'created' and singleton_key = $1 order by start_after desc limit 1`,
      [id],
    )
    return rows[0]?.seconds
  }

  test.each(['defer-recipient', 'drop-at-recipient'] as const)('%s: is sent later, once', async (behaviour) => {
    smtp.behave(`late-${behaviour}`, behaviour)
    const recipient = `late-${behaviour}@northwind.example`
    const id = await queue(recipient)
    await run(id)
    expect(await read(id)).toMatchObject({
      delivery: 'pending',
      attempts: 1,
      error: expect.any(String),
      settledAt: null,
    })
    expect(await due(id)).toBe(30)
    await expect(retry(id)).rejects.toMatchObject({ code: 'conflict' })
    await run(id)
    expect(await due(id)).toBe(120)
    smtp.behave(`late-${behaviour}`, 'accept')
    await run(id)
    await run(id)
    expect(await read(id)).toMatchObject({ delivery: 'delivered', attempts: 3, error: null })
    expect(receivedBy(recipient)).toHaveLength(1)
    const rows = await ownerRows<{ type: string; attempt: number }>(
      `select type, (record -> 'details' ->> 'attempt')::int as attempt from audit_records where resource_id = $1 order by date, seq`,
      [id],
    )
    expect(rows.map(({ type, attempt }) => `${type} ${attempt}`)).toEqual([
      'mail.failed 1',
      'mail.failed 2',
      'mail.delivered 3',
    ])
  })

  test('has failed after a day', async () => {
    smtp.behave('old', 'defer-recipient')
    const id = await queue('old@northwind.example')
    await asOwner(runtime, `update mails set created_at = now() - interval '25 hours' where id = $1`, [id])
    await run(id)
    expect(await read(id)).toMatchObject({ delivery: 'failed', attempts: 1, error: expect.stringContaining('(451)') })
  })

  test('is not sent again when its subject no longer needs it', async () => {
    smtp.behave('over', 'defer-recipient')
    const id = await queue('over@northwind.example')
    await run(id)
    onAnotherAttempt('input_request', async () => false)
    smtp.behave('over', 'accept')
    await run(id)
    onAnotherAttempt('input_request', async () => true)
    expect(await read(id)).toMatchObject({
      delivery: 'failed',
      attempts: 1,
      error: expect.stringContaining('its request has ended'),
    })
    expect(receivedBy('over@northwind.example')).toHaveLength(0)
  })
})

test('a mail of unknown outcome is sent again only by a person', async () => {
  smtp.behave('again', 'drop-after-dot')
  const id = await queue('again@northwind.example')
  await run(id)
  await run(id)
  expect(receivedBy('again@northwind.example')).toHaveLength(1)
  for (const by of ['service_account', 'api_key'] as const)
    await expect(retry(id, by)).rejects.toMatchObject({ code: 'machine_decision', status: 403 })
  await retry(id, 'person')
  await run(id)
  expect(await read(id)).toMatchObject({ delivery: 'unknown', attempts: 2 })
  expect(receivedBy('again@northwind.example')).toHaveLength(2)
})

test('a mail that has definitely failed may also be sent again by a machine', async () => {
  smtp.behave('refused', 'refuse-recipient')
  const id = await queue('refused@northwind.example')
  await run(id)
  await retry(id, 'service_account')
  expect(await read(id)).toMatchObject({ delivery: 'pending', attempts: 1 })
})

test('a delivered mail is not sent again, not even by a person', async () => {
  const id = await queue('once@northwind.example')
  await run(id)
  await expect(retry(id)).rejects.toMatchObject({ code: 'conflict' })
})

test('a mail has an unknown outcome if its worker died while sending it', async () => {
  const id = await queue('died@northwind.example')
  await runtime.database.inTenant(tenant.id, (tx) => setInFlight(tx, tenant.id, id))
  await run(id)
  expect(await read(id)).toMatchObject({ delivery: 'unknown', attempts: 1 })
  expect(receivedBy('died@northwind.example')).toHaveLength(0)
})

test('without SMTP_URL a mail has failed as not configured', async () => {
  const bare = await testRuntime()
  try {
    const other = await testTenant(bare)
    const mail = {
      kind: 'input_request' as const,
      language: 'en' as const,
      subjectId,
      recipient: 'a@x.example',
      subject: 'S',
      body: 'B',
    }
    const queued = await bare.database.inTenant(other.id, (tx) => queueMail(tx, other, mail))
    expect(queued).toMatchObject({ delivery: 'failed', error: 'not configured' })
  } finally {
    await bare.close()
  }
})
