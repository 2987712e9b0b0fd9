import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#lib/json.ts'
import { argumentRows } from '#lib/rules/effect.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { newId } from '#server/kernel/ids.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { execute } from '#server/kernel/operation.ts'
import { askForRefund, approverGroup as group } from '#server/testing/approval-request.ts'
import { asOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { decide } from './decide.ts'
import { get } from './get.ts'
import { getPending } from './get-pending.ts'
import { history } from './history.ts'
import { expiry } from './jobs.ts'
import { list } from './list.ts'
import { fillShapesOf } from './repeats/fill-shapes.ts'
import { shapeOf } from './repeats/shape.ts'
import { usual } from './repeats/usual.ts'
import { usualAmounts } from './repeats/usual-amounts.ts'
import { onDecided } from './subjects.ts'

// What was decided before on the same object and the same action, on the real database.

let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  running = await testRuntime()
  // Nothing here waits for a decision.
  onDecided('tool_call', () => Promise.resolve())
  await running.queue.work([expiry])
})
afterAll(() => running.close())

type People = { tenant: TestTenant; maria: Caller; jonas: Caller }

async function people(): Promise<People> {
  const tenant = await testTenant(running)
  return {
    tenant,
    maria: await tenant.as('maria', { roles: ['developer', 'approver'] }),
    jonas: await tenant.as('jonas', { roles: ['approver'], groups: [group] }),
  }
}

const call = (args: JsonObject, more: JsonObject = {}) => ({
  payload: {
    action: 'ToolCall',
    resource: 'payments/issue_refund',
    environment: 'production',
    arguments: args,
    ...more,
  },
  shows: { arguments: argumentRows(args) },
})
const refund = (id: string, amount = '59.90') => call({ id, amount, currency: 'EUR' })
const ask = async ({ tenant, maria }: People, request: ReturnType<typeof call>) =>
  (await askForRefund(tenant, maria, request)).approvalId
const vote = ({ jonas }: People, approvalId: string, decision = 'approve', reason = 'Because.') =>
  execute(decide, jonas, { approvalId, decision, decisionAcknowledged: true, reason }, { name: 'approvals.decide' })
const read = ({ jonas }: People, approvalId: string) => execute(get, jonas, { approvalId }, { name: 'approvals.get' })
/** As versions did that knew fewer names of objects. */
async function noteAllArguments(
  { tenant }: People,
  approvalId: string,
  { payload }: ReturnType<typeof call>,
): Promise<void> {
  const { earlierDigest } = await running.database.inTenant(tenant.id, async (tx) =>
    shapeOf(await tenantCipher(tx, tenant.id), payload),
  )
  expect(earlierDigest).not.toBeNull()
  await asOwner(running, 'update approvals set object_digest = $2 where id = $1', [approvalId, earlierDigest])
}
const earlier = ({ jonas }: People, approvalId: string) =>
  execute(history, jonas, { approvalId }, { name: 'approvals.history' })

describe('a request on the object of an earlier one', () => {
  test('names the approval, with who decided, when and why', async () => {
    const all = await people()
    const first = await ask(all, refund('A-1003'))
    await vote(all, first, 'approve', 'The counter was broken.')
    const again = await ask(all, refund('A-1003', '12.00'))

    const { repeats } = await read(all, again)
    expect(repeats).toEqual({ approved: { approvalId: first, decidedAt: expect.any(String) }, pending: 0 })
    const { sameObject } = await earlier(all, again)
    expect(sameObject).toMatchObject([
      {
        approvalId: first,
        status: 'approved',
        decidedBy: { username: 'jonas' },
        reason: 'The counter was broken.',
        amount: { value: '59.90', currency: 'EUR' },
      },
    ])
    // The first was decided before the other existed.
    expect((await read(all, first)).repeats).toEqual({ approved: null, pending: 1 })
    expect((await earlier(all, first)).sameObject).toEqual([])
  })

  test('is marked in both lists', async () => {
    const all = await people()
    const first = await ask(all, refund('A-7'))
    await vote(all, first)
    const again = await ask(all, refund('A-7'))
    const waiting = await execute(getPending, all.jonas, { limit: 10 }, { name: 'approvals.getPending' })
    expect(waiting.items).toMatchObject([{ approvalId: again, repeats: { approved: { approvalId: first } } }])
    const listed = await execute(list, all.jonas, { limit: 10 }, { name: 'approvals.list' })
    expect(listed.items.map(({ repeats }) => repeats?.approved?.approvalId ?? null)).toEqual([first, null])
  })

  test.each<[string, ReturnType<typeof call>]>([
    ['another object', refund('A-2')],
    ['another tool', call({ id: 'A-1' }, { resource: 'payments/lookup_order' })],
    ['another environment', call({ id: 'A-1' }, { environment: 'staging' })],
    ['a change that is not a call', call({ id: 'A-1' }, { action: 'release.propose' })],
  ])('does not count %s', async (_what, other) => {
    const all = await people()
    await vote(all, await ask(all, other))
    expect((await read(all, await ask(all, refund('A-1')))).repeats).toBeNull()
  })

  test('does not count a rejection as an approval, but shows it', async () => {
    const all = await people()
    const rejected = await ask(all, refund('A-1'))
    await vote(all, rejected, 'reject')
    const again = await ask(all, refund('A-1'))
    expect((await read(all, again)).repeats).toBeNull()
    expect((await earlier(all, again)).sameObject).toMatchObject([{ approvalId: rejected, status: 'rejected' }])
  })

  test('is found by all arguments of a call without a usual name for its object', async () => {
    const all = await people()
    const letter = (body: string) => call({ to: 'ines@example.com', body })
    await vote(all, await ask(all, letter('Hello')))
    expect((await read(all, await ask(all, letter('Hello')))).repeats?.approved).not.toBeNull()
    expect((await read(all, await ask(all, letter('Good bye')))).repeats).toBeNull()
    await vote(all, await ask(all, call({})))
    expect((await read(all, await ask(all, call({})))).repeats).toBeNull()
  })

  test('is found by an id in another spelling, and by a number', async () => {
    const all = await people()
    for (const [first, second] of [
      [
        { order_id: 'A-1', amount: 10 },
        { order_id: 'A-1', amount: 11 },
      ],
      [
        { id: 42, note: 'x' },
        { id: 42, note: 'y' },
      ],
    ]) {
      const asked = async (args: JsonObject) => await ask(all, call(args))
      await vote(all, await asked(first as JsonObject))
      expect((await read(all, await asked(second as JsonObject))).repeats?.approved).not.toBeNull()
    }
    expect((await read(all, await ask(all, call({ order_id: 'A-2', amount: 10 })))).repeats).toBeNull()
    // Where something goes is not what it is about: each message to one channel would be marked.
    await vote(all, await ask(all, call({ channel_id: 'C7', text: 'Hello' })))
    expect((await read(all, await ask(all, call({ channel_id: 'C7', text: 'Good bye' })))).repeats).toBeNull()
  })

  test('is found among those for which an earlier version noted all arguments as the object', async () => {
    const all = await people()
    const args = { order_id: 'A-9', amount: 10 }
    const first = await ask(all, call(args))
    await vote(all, first)
    await noteAllArguments(all, first, call(args))
    const asked = async (amount: number) => await ask(all, call({ ...args, amount }))
    expect((await read(all, await asked(11))).repeats).toBeNull()
    const again = await asked(10)
    expect((await read(all, again)).repeats?.approved?.approvalId).toBe(first)
    expect((await read(all, await asked(12))).repeats?.approved?.approvalId).toBe(first)
  })

  test('is found although earlier versions did not note what a request is about', async () => {
    const all = await people()
    const first = await ask(all, refund('A-1'))
    await vote(all, first)
    await asOwner(running, 'update approvals set shape_digest = null, object_digest = null where id = $1', [first])
    const again = await ask(all, refund('A-1'))
    expect((await read(all, again)).repeats).toBeNull()
    await fillShapesOf(all.tenant.id)
    expect((await read(all, again)).repeats?.approved?.approvalId).toBe(first)
  })

  test('is found although the content of an older request can’t be decrypted', async () => {
    const all = await people()
    const [broken, first] = [await ask(all, refund('A-9')), await ask(all, refund('A-1'))]
    await vote(all, first)
    await asOwner(running, 'update approvals set shape_digest = null, object_digest = null where id = any($1)', [
      [broken, first],
    ])
    await asOwner(running, "update approvals set payload = '\\x0301' where id = $1", [broken])
    await fillShapesOf(all.tenant.id)
    expect((await read(all, await ask(all, refund('A-1')))).repeats?.approved?.approvalId).toBe(first)
  })

  test('shows nothing of another tenant', async () => {
    const [one, other] = [await people(), await people()]
    const first = await ask(one, refund('A-1'))
    await vote(one, first)
    expect((await read(other, await ask(other, refund('A-1')))).repeats).toBeNull()
    await expect(earlier(other, first)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('is not hidden by a decision that someone wrote into the database', async () => {
    const all = await people()
    expect(await adoptTenant(all.tenant.id)).toBe(true)
    const first = await ask(all, refund('A-1'))
    await vote(all, first)
    const again = await ask(all, refund('A-1'))
    await asOwner(running, "update approvals set status = 'rejected' where id = $1", [first])
    await expect(earlier(all, again)).rejects.toMatchObject({ code: 'integrity_failed' })
  })
})

test('the last ten of a shape come with the newest decision first, and amounts of 200', async () => {
  const all = await people()
  for (let n = 1; n <= 12; n += 1)
    await vote(all, await ask(all, refund(`A-${n}`, `${n}.50`)), n === 12 ? 'reject' : 'approve')
  const { sameShape, sameObject, usual } = await earlier(all, await ask(all, refund('B-1', '900.00')))
  expect(sameObject).toEqual([])
  expect(sameShape.map(({ amount }) => amount?.value)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((n) => `${n}.50`))
  expect(sameShape[0]?.status).toBe('rejected')
  expect(usual).toMatchObject({ currency: 'EUR', low: '2.50', median: '6.50', high: '10.50' })
  expect(usual?.amounts).toHaveLength(11)
})

test('a list gets the same range for each request with an amount, and no other tenant’s', async () => {
  const all = await people()
  for (const amount of ['5.00', '20.00', '30.00', '40.00', '50.00', '900.00'])
    await vote(all, await ask(all, refund(`A-${amount}`, amount)), amount === '900.00' ? 'reject' : 'approve')
  const pending = await ask(all, refund('B-1', '700.00'))
  const dollars = await ask(all, call({ id: 'B-2', amount: '700.00', currency: 'USD' }))
  const letter = await ask(all, call({ id: 'B-3' }))
  const staging = await ask(all, call({ id: 'B-4', amount: '7.00', currency: 'EUR' }, { environment: 'staging' }))
  const approvalIds = [pending, dollars, letter, staging, pending, newId()]
  const compared = (caller: Caller) => execute(usual, caller, { approvalIds }, { name: 'approvals.usualAmounts' })
  const { usual: range } = await earlier(all, pending)
  expect(await compared(all.jonas)).toEqual({
    items: [{ approvalId: pending, usual: { currency: 'EUR', low: '5.00', median: '30.00', high: '50.00' } }],
  })
  expect(range).toMatchObject({ currency: 'EUR', low: '5.00', median: '30.00', high: '50.00' })
  expect(await compared((await people()).jonas)).toEqual({ items: [] })
})

test('only keyed digests of what a request is about are stored', async () => {
  const all = await people()
  const digestsOf = async (one: People, approvalId: string) =>
    await running.database.inTenant(one.tenant.id, (tx) =>
      tx
        .selectFrom('approvals')
        .select(['shapeDigest', 'objectDigest'])
        .where('tenantId', '=', one.tenant.id)
        .where('id', '=', approvalId)
        .executeTakeFirstOrThrow(),
    )
  const first = await digestsOf(all, await ask(all, refund('A-1')))
  expect(await digestsOf(all, await ask(all, refund('A-1')))).toEqual(first)
  for (const text of Object.values(first)) expect(text).toMatch(/^hmac-sha256:[0-9a-f]{64}$/)
  const elsewhere = await people()
  expect(await digestsOf(elsewhere, await ask(elsewhere, refund('A-1')))).not.toEqual(first)
})

describe('the usual amounts', () => {
  const money = (...values: string[]) => values.map((value) => ({ value, currency: 'EUR' }))

  test('are those of the same currency', () => {
    const usual = usualAmounts('EUR', [...money('5', '40', '300', '20', '10'), { value: '1', currency: 'USD' }, null])
    expect(usual).toEqual({
      currency: 'EUR',
      low: '5',
      median: '20',
      high: '300',
      amounts: ['5', '10', '20', '40', '300'],
    })
  })

  test.each([
    ['fewer than five', 'EUR', money('1', '2', '3', '4')],
    ['another currency', 'USD', money('1', '2', '3', '4', '5')],
    ['a request without an amount', undefined, money('1', '2', '3', '4', '5')],
  ])('are unknown with %s', (_what, currency, amounts) => {
    expect(usualAmounts(currency, amounts)).toBeNull()
  })
})
