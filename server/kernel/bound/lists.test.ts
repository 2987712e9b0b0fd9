import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { roleNames } from '#lib/permissions.ts'
import { registerDecisions } from '#server/jobs.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { execute } from '#server/kernel/operation.ts'
import { type ListOperation, listOperations } from '#server/testing/list-operations.ts'
import { fillLists, nthId } from '#server/testing/long-lists.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type Statement, statementsOf } from '#server/testing/statements.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { adoptTenant } from './adopt.ts'
import { boundTypes } from './types.ts'

// Every list that shows rows of a bound type compares them with the log, in one statement for a page.

const rows = 60
let running: Awaited<ReturnType<typeof testRuntime>>
let tenantId: string
let caller: Caller
let owner: Client
const lists = new Map<string, ListOperation>()
beforeAll(async () => {
  registerDecisions()
  running = await testRuntime()
  const tenant = await testTenant(running)
  tenantId = tenant.id
  caller = await tenant.as('vera', { roles: [...roleNames] })
  owner = await connectAsOwner(running)
  await fillLists(owner, { tenantId, memberId: caller.principal.memberId, from: 0, to: rows })
  expect(await adoptTenant(tenantId)).toBe(true)
  // The owner silences the triggers that note changes.
  await owner.query('set session_replication_role = replica')
  const examples: Record<string, unknown> = {
    from: '2024-06-01T00:00:00.000Z',
    to: '2024-06-02T00:00:00.000Z',
    environment: 'production',
    version: 1,
  }
  for (const one of listOperations((_name, property) => [examples[property] ?? nthId(1)])) lists.set(one.name, one)
}, 60_000)
afterAll(async () => {
  await owner.end()
  await running.close()
})

const read = (name: string) => {
  const list = lists.get(name)
  if (list === undefined) throw new Error(`The list ${name} does not exist.`)
  return execute(list.operation, caller, { ...list.inputs[0], limit: 50 }, { name })
}

/** A list, and a column of a row that it shows, with another value. */
const changes: [list: string, type: string, table: string, column: string, value: string][] = [
  ['agents.list', 'agent', 'agents', 'display_name', `'Another agent'`],
  ['agents.list', 'agent_version', 'agent_versions', 'manifest', `'{"spec": {"risk": {"tier": "low"}}}'`],
  ['approvals.list', 'approval', 'approvals', 'status', `'rejected'`],
  ['approvals.getPending', 'approval', 'approvals', 'expires_at', `expires_at + interval '1 year'`],
  ['executions.list', 'execution', 'executions', 'status', `'failed'`],
  ['executions.inputEvents.list', 'input_event', 'input_events', 'status', `'received'`],
  ['executions.inputEvents.list', 'input_wait', 'input_waits', 'status', `'open'`],
  ['executions.inputEvents.list', 'input_resolution', 'input_resolutions', 'delivery', `'failed'`],
  ['agents.versions', 'agent_version', 'agent_versions', 'version', `'3.0.0'`],
  ['connectionTokens.list', 'connection_token', 'connection_tokens', 'name', `'another'`],
  ['groups.listProvisioned', 'mapped_member', 'mapped_members', 'member_id', `'${nthId(2)}'`],
  ['policies.list', 'policy', 'policies', 'description', `'Another policy'`],
  ['releases.list', 'release', 'releases', 'environment', `'staging'`],
]

test.each(changes)('%s refuses a page with a changed %s (%s.%s)', async (list, type, table, column, value) => {
  // Agent 1 has further versions under other ids.
  const id = nthId(list === 'agents.versions' ? 10_000_000 + rows - 5 : rows - 5)
  const row = `from kept where ${table}.tenant_id = $1 and ${table}.id = $2 and kept.id = $2`
  await expect(read(list)).resolves.toBeDefined()
  await owner.query(`create temporary table kept as select * from ${table} where tenant_id = '${tenantId}'`)
  await owner.query(`update ${table} set ${column} = ${value.replace(column, `kept.${column}`)} ${row}`, [tenantId, id])
  try {
    await expect(read(list)).rejects.toMatchObject({ code: 'integrity_failed', details: { type, id } })
  } finally {
    await owner.query(`update ${table} set ${column} = kept.${column} ${row}`, [tenantId, id])
    await owner.query('drop table kept')
  }
  await expect(read(list)).resolves.toBeDefined()
})

const itemsOf = (page: unknown): unknown[] =>
  typeof page === 'object' && page !== null && 'items' in page && Array.isArray(page.items) ? page.items : []

/** Lists that read a bound table without a comparison, and why. */
const withoutComparison: Record<string, string> = {
  'agents.observed': 'Agents that telemetry names, which are not registered.',
  'evidence.listExports': 'The names of people.',
  'policies.budgets': 'What budgets have left, which is not evidence, with the names of their policies.',
  'policies.simulate': 'What another policy would have decided, which decides nothing.',
  'search.find': 'Where to find an object. Its page compares it.',
  'secrets.list': 'The names of people.',
  'tenants.list': 'The directory of the caller’s own memberships. Each request compares the caller.',
}

const comparisonsIn = (sent: readonly Statement[]): number =>
  sent.filter(({ text }) => text.includes('from bound_states')).length

/** Lists of which this tenant shows nothing, and why. */
const empty: Record<string, string> = {
  'passkeys.list': 'The caller has none.',
  'policies.budgets': 'The policy has none.',
  'policies.simulate': 'No decision of the policy was recorded.',
  'serviceAccounts.list': 'There are none.',
}

test('every list of rows of a bound type compares them, in one statement when they have been read before', async () => {
  const bound = new Set(boundTypes.map(({ table }) => table))
  const wrong: string[] = []
  for (const name of lists.keys()) {
    let page: unknown
    // If it fails, it fails again below, where the error is listed.
    const before = await statementsOf(() => read(name).catch(() => undefined))
    if (comparisonsIn(before) > 2)
      wrong.push(`${name}: ${comparisonsIn(before)} comparisons of rows that it does not know`)
    const sent = await statementsOf(async () => {
      page = await read(name).catch((error: unknown) => error)
    })
    if ((itemsOf(page).length === 0) !== name in empty)
      wrong.push(`${name}: ${page instanceof Error ? page.message : 'no rows, or rows although it is listed as empty'}`)
    if (itemsOf(page).length === 0) continue
    const texts = sent.map(({ text }) => text)
    const shown = texts.some((text) => [...text.matchAll(/\bfrom "(\w+)"/g)].some(([, table = '']) => bound.has(table)))
    const comparisons = comparisonsIn(sent)
    const expected = shown && withoutComparison[name] === undefined ? 1 : 0
    if (comparisons !== expected) wrong.push(`${name}: ${comparisons} comparisons`)
    if (!shown && withoutComparison[name] !== undefined) wrong.push(`${name} is listed, but reads no bound table`)
  }
  expect(wrong).toEqual([])
})
