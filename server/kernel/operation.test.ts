import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ApiError } from '#lib/errors.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import type { Caller } from './auth/principal.ts'
import { execute, mutation, preparedMutation, query, refuse } from './operation.ts'
import { runtime } from './runtime.ts'

// The guarantees of every operation: permission, input, one transaction, one audit record, idempotency.

let running: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let caller: Caller
beforeAll(async () => {
  running = await testRuntime()
  tenant = await testTenant(running)
  caller = await tenant.as('maria', { roles: ['developer'] })
})
afterAll(() => running.close())

const Input = z.strictObject({ name: z.string().min(1), fail: z.enum(['refuse', 'throw', 'api', 'answer']).optional() })
const Output = z.object({ id: z.string(), secret: z.string().optional() })

/** Writes a group, then does what the input requests. */
const writeGroup = mutation({
  permission: 'agent:create',
  input: Input,
  output: Output,
  audit: (input, output) => ({
    action: 'test.written',
    resource: { type: 'group', id: output?.id ?? 'none' },
    details: { name: input.name },
  }),
  replay: ({ id }) => ({ id }),
  async run({ tx, tenant: { id: tenantId }, input, auditId, answerWith }) {
    await tx
      .insertInto('approverGroups')
      .values({ tenantId, id: auditId, name: input.name, displayName: input.name })
      .execute()
    if (input.fail === 'refuse') throw refuse('conflict', 'Not like this.', { why: 'tried' })
    if (input.fail === 'api') throw new ApiError('not_ready', 'Not now.')
    if (input.fail === 'answer')
      answerWith(new ApiError('policy_denied', 'Done, and no.', { details: { id: auditId } }))
    if (input.fail === 'throw') throw new Error('internal detail')
    return { id: auditId, secret: 'shown once' }
  },
})
const run = (input: object, options: { by?: Caller; key?: string } = {}) =>
  execute(writeGroup, options.by ?? caller, input, { name: 'test.write', idempotencyKey: options.key })
const groups = (name: string) =>
  runtime().database.inTenant(tenant.id, (tx) =>
    tx.selectFrom('approverGroups').select('id').where('tenantId', '=', tenant.id).where('name', '=', name).execute(),
  )
const audited = async (name: string) =>
  (
    await runtime().database.inTenant(tenant.id, (tx) =>
      tx
        .selectFrom('auditRecords')
        .select(['type', 'record'])
        .where('tenantId', '=', tenant.id)
        .orderBy('seq')
        .execute(),
    )
  ).filter((row) => JSON.stringify(row.record).includes(`"name":"${name}"`))

test('an operation and its record are committed together', async () => {
  const { id } = await run({ name: 'both' })
  expect(await groups('both')).toEqual([{ id }])
  expect(await audited('both')).toMatchObject([
    {
      type: 'test.written',
      record: { auditId: id, actor: { type: 'person', name: 'maria' }, resource: { type: 'group', id } },
    },
  ])
})

describe('an operation that is not carried out', () => {
  test('leaves no effect and one record of the attempt if it was refused', async () => {
    await expect(run({ name: 'refused', fail: 'refuse' })).rejects.toMatchObject({
      code: 'conflict',
      message: 'Not like this.',
    })
    expect(await groups('refused')).toEqual([])
    expect(await audited('refused')).toMatchObject([
      { type: 'test.written.refused', record: { details: { code: 'conflict', why: 'tried' } } },
    ])
  })

  test.each(['api', 'throw'] as const)('leaves no trace after any other error (%s)', async (fail) => {
    await expect(run({ name: `undone-${fail}`, fail })).rejects.toThrow()
    expect(await groups(`undone-${fail}`)).toEqual([])
    expect(await audited(`undone-${fail}`)).toEqual([])
  })

  test('is undone if its audit record can’t be written', async () => {
    const unwritable = mutation({
      ...definitionOf('unwritable'),
      audit: () => ({
        action: 'test.written',
        resource: { type: 'group', id: 'none' },
        details: { broken: Number.NaN },
      }),
    })
    await expect(execute(unwritable, caller, { name: 'unwritable' }, { name: 'test.unwritable' })).rejects.toThrow()
    expect(await groups('unwritable')).toEqual([])
  })

  test('parses nothing without the permission, and refuses U+0000 before it reaches the database', async () => {
    const stranger = await tenant.as('vera', { roles: ['viewer'] })
    await expect(run({ nonsense: 1 }, { by: stranger })).rejects.toMatchObject({ code: 'forbidden' })
    await expect(run({ nonsense: 1 })).rejects.toMatchObject({ code: 'validation_failed' })
    await expect(run({ name: 'a\u0000b' })).rejects.toMatchObject({ code: 'bad_request' })
  })
})

describe('an Idempotency-Key', () => {
  test('returns the first response again, without its one-time values, and runs the operation once', async () => {
    const first = await run({ name: 'keyed' }, { key: 'k1' })
    expect(first.secret).toBe('shown once')
    expect(await run({ name: 'keyed' }, { key: 'k1' })).toEqual({ id: first.id })
    expect(await groups('keyed')).toHaveLength(1)
    expect(await audited('keyed')).toHaveLength(1)
  })

  test('is refused with another body, and separate for each member', async () => {
    await run({ name: 'key-owner' }, { key: 'k2' })
    await expect(run({ name: 'key-other' }, { key: 'k2' })).rejects.toMatchObject({ code: 'event_conflict' })
    const other = await tenant.as('omar', { roles: ['developer'] })
    expect(await run({ name: 'key-of-omar' }, { key: 'k2', by: other })).toBeDefined()
  })

  test('returns an error again that was committed with its operation, and still refuses another body', async () => {
    const input = { name: 'answered', fail: 'answer' }
    const told = await Promise.allSettled([run(input, { key: 'k4' }), run(input, { key: 'k4' })])
    const [{ id }] = (await groups('answered')) as [{ id: string }]
    const error = expect.objectContaining({ code: 'policy_denied', message: 'Done, and no.', details: { id } })
    expect(told.map((one) => one.status === 'rejected' && one.reason)).toEqual([error, error])
    expect(await audited('answered')).toMatchObject([{ type: 'test.written', record: { auditId: id } }])
    await expect(run({ name: 'other' }, { key: 'k4' })).rejects.toMatchObject({ code: 'event_conflict' })
  })

  test('runs the operation once when ten requests race', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => run({ name: 'key-race' }, { key: 'k3' })))
    expect(new Set(answers.map((answer) => answer.id)).size).toBe(1)
    expect(await groups('key-race')).toHaveLength(1)
  })
})

test('preparation runs once, before the transaction', async () => {
  const order: string[] = []
  const prepared = preparedMutation({
    ...definitionOf('prepared'),
    prepare: async ({ input }) => {
      order.push(`prepare ${input.name}`)
      return 7
    },
    run: async ({ prepared: value }) => {
      order.push(`run ${value}`)
      return { id: 'x' }
    },
  })
  await execute(prepared, caller, { name: 'p' }, { name: 'test.prepared' })
  expect(order).toEqual(['prepare p', 'run 7'])
})

test('an incomplete declaration does not compile', () => {
  const run_ = async () => ({ id: 'x' })
  // @ts-expect-error an operation without a permission
  query({ input: Input, output: Output, run: run_ })
  // @ts-expect-error a permission that does not exist
  query({ permission: 'agent:destroy', input: Input, output: Output, run: run_ })
  // @ts-expect-error a mutation without its audit record
  mutation({ permission: 'agent:create', input: Input, output: Output, run: run_ })
  // @ts-expect-error an operation without an output contract
  query({ permission: 'agent:read', input: Input, run: run_ })
})

function definitionOf(name: string) {
  return {
    permission: 'agent:create' as const,
    input: Input,
    output: Output,
    audit: () => ({ action: 'test.written', resource: { type: 'group', id: name } }),
    run: (context: Parameters<Awaited<ReturnType<typeof writeGroup.begin>>>[0]) =>
      writeGroup.begin(context).then((act) => act(context)),
  }
}
