import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { roleNames } from '#lib/permissions.ts'
import { registerDecisions } from '#server/jobs.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { execute } from '#server/kernel/operation.ts'
import { listOperations } from '#server/testing/list-operations.ts'
import { fillLists, nthId } from '#server/testing/long-lists.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type Scan, type Statement, scansOf, scansOfPrepared, statementsOf } from '#server/testing/statements.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { countCases, sized } from './counts.ts'

// A page of any list reads only a few more rows than it shows, regardless of the list's length.

const rows = sized(100_000, 20_000)
const limit = 50
const spare = 10

let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let caller: Caller
let owner: Client

beforeAll(async () => {
  registerDecisions()
  runtime = await testRuntime()
  tenant = await testTenant(runtime)
  caller = await tenant.as('vera', { roles: [...roleNames] })
  owner = await connectAsOwner(runtime)
  await fillLists(owner, { tenantId: tenant.id, memberId: caller.principal.memberId, from: 0, to: rows })
}, 900_000)
afterAll(async () => {
  await owner.end()
  await runtime.close()
})

const middle = Math.floor(rows / 2)
const cursors: Record<string, unknown> = {
  'agents.observed': `seen-${middle}`,
  'audit.list': `2024-06-01~${middle}`,
  'approvals.listGrantUses': String(Math.min(middle, 9999)),
  'policyVersions.list': String(middle),
  'traces.list': `${new Date(Date.UTC(2024, 5, 1) + middle * 1000).toISOString().slice(0, -1)}000Z~${middle.toString(16).padStart(32, '0')}`,
}
const often = nthId(1)
const seldom = nthId(2)
const filters: Record<string, readonly unknown[]> = {
  id: [often],
  ids: [[often, seldom]],
  version: [1],
  afterSeq: [middle],
  agentId: [often, seldom],
  policyId: [often],
  executionId: [often, seldom],
  channelId: [often, seldom],
  grantId: [often, seldom],
  serviceAccountId: [often, seldom],
  environment: ['production', 'staging', 'nowhere'],
  startedBy: [often, seldom],
  actorId: [often, seldom, 'nobody'],
  resourceId: [often, seldom, 'nothing'],
  action: ['tool.called', 'agent.created', 'never.done'],
  agent: ['agent-1', 'agent-2', 'nobody'],
  text: ['answer', 'never said'],
  q: ['agent', 'never said', often],
  from: ['2024-06-01T00:00:00.000Z', '2098-01-01T00:00:00.000Z'],
  to: ['2099-01-01T00:00:00.000Z', '2024-06-01T00:00:01.000Z'],
}
const special: Record<string, readonly unknown[]> = {
  // Simulation also recomputes the decisions that it finds, which is not part of reading a page.
  'policies.simulate environment': ['nowhere'],
  // The time of a record within a day is not indexed, so such a page reads that day's records.
  'audit.list to': ['2099-01-01T00:00:00.000Z', '2024-06-01T00:00:00.000Z'],
}
/** A period that ends before it begins is refused. */
const isPeriod = ({ from, to }: Record<string, unknown>) =>
  from === undefined || to === undefined || String(from) < String(to)
const operations = listOperations((name, property) =>
  property === 'cursor' ? [cursors[name] ?? nthId(middle)] : (special[`${name} ${property}`] ?? filters[property]),
)
/**
 * Reads that scan more rows than match. Decisions, traces and observed agents report how far back a page has searched. The
 * views of pending approvals scan all pending ones, which expire.
 */
const bounded: Record<string, number> = {
  'agents.observed': 5_000,
  'policies.decisions': 5_000,
  'policies.simulate': 5_000,
  'traces.list': 5_000,
  'approvals.getPending': 500,
  // Scans the pending approvals, too, if a filter selects decided and pending ones.
  'approvals.list': 500,
  // The newest of each kind.
  'search.find': 5_000,
}

test.each(operations.map((operation) => [operation.name, operation] as const))(
  '%s',
  async (_name, operation) => {
    const allowed = limit + 1 + spare
    const most = (bounded[operation.name] ?? 0) + allowed
    const tooMany: string[] = []
    let sent = 0
    const asked: { given: unknown; statement: Statement }[] = []
    for (const given of operation.inputs.filter(isPeriod)) {
      const run = () => execute(operation.operation, caller, { ...given, limit }, { name: operation.name })
      const statements = await statementsOf(run)
      sent += statements.length
      for (const statement of statements)
        if (/^\s*(select|with)/i.test(statement.text)) asked.push({ given, statement })
    }
    const scanned = await runtime.database.inTenant(tenant.id, async (tx) => {
      const first: Scan[][] = []
      for (const { statement } of asked) first.push(await scansOf(tx, statement))
      const later = await scansOfPrepared(
        tx,
        asked.map(({ statement }) => statement),
      )
      return { first, later }
    })
    for (const [calls, scans] of Object.entries(scanned))
      for (const [index, { given }] of asked.entries())
        for (const { relation, index: by, rows: touched } of scans[index] ?? [])
          if (touched > most)
            tooMany.push(`${JSON.stringify(given)}, ${calls} calls: ${touched} of ${relation} by ${by ?? 'no index'}`)
    expect(tooMany).toEqual([])
    // Not every input: exports and records are found by their id, so a search of these for a word sends nothing.
    expect(sent).toBeGreaterThanOrEqual(operation.inputs.length / 2)
  },
  600_000,
)

test('every list is queried', (context) => {
  const asked = operations.reduce((sum, operation) => sum + operation.inputs.length, 0)
  expect(operations.length).toBeGreaterThanOrEqual(27)
  countCases(context, asked)
})
