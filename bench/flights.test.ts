import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { roleNames } from '#lib/permissions.ts'
import { onDecided } from '#server/approvals/subjects.ts'
import { get as getExecution } from '#server/executions/get.ts'
import { registerDecisions } from '#server/jobs.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { databaseTraffic, type Traffic } from '#server/kernel/db/connection.ts'
import type { TestApi } from '#server/testing/api.ts'
import { fillLists } from '#server/testing/long-lists.ts'
import { testTenant } from '#server/testing/tenant.ts'
import { ourTokenCall } from './cases/case-01-token.ts'
import { ourQueryCall } from './cases/case-02-query.ts'
import { boundAgent, ourDecision } from './cases/case-03-policy.ts'
import { executionRunner } from './cases/case-06-execution.ts'
import { ourEventCall } from './cases/case-07-input.ts'
import { ourDecide, pendingApproval } from './cases/case-08-decide.ts'
import { allLists } from './cases/case-13-lists.ts'
import { ourEvaluateCall } from './evaluate-call.ts'
import { startInstalled } from './installed.ts'
import { type Lab, openLab, perform } from './lab.ts'
import { call } from './load.ts'

// What frequent calls send to PostgreSQL at most: a change that adds a write, a statement or a commit to one of them fails here. Lower
// the figures with each change that needs fewer.

const repeats = 5
/** Background work of a server that has just started on a busy machine may fall into many samples, one after the other. */
const mostRepeats = 60

const fields = ['writes', 'statements', 'commits'] as const

/**
 * The least of several calls: background work can only add to one, and the first ones also fill what the process keeps. Measures until
 * that is at most `most`, or for long enough to be sure that it is not.
 */
async function least(read: () => Promise<Traffic> | Traffic, once: () => Promise<unknown>, most: Traffic) {
  const found: Traffic = { writes: Number.MAX_VALUE, statements: Number.MAX_VALUE, commits: Number.MAX_VALUE }
  const isMet = () => fields.every((field) => found[field] <= most[field])
  for (let index = 0; index < repeats || (index < mostRepeats && !isMet()); index++) {
    const before = await read()
    await once()
    const after = await read()
    for (const field of fields) found[field] = Math.min(found[field], after[field] - before[field])
  }
  return found
}

function expectAtMost(seen: Traffic, most: Traffic): void {
  for (const field of fields)
    expect(seen[field], `${field} of ${JSON.stringify(seen)}`).toBeLessThanOrEqual(most[field])
  expect(seen.writes).toBeGreaterThan(0)
}

describe('of the parts in this process', () => {
  let lab: Lab
  let reader: Caller
  beforeAll(async () => {
    lab = await openLab()
    const filled = await testTenant(lab.runtime)
    reader = await filled.as('vera', { roles: [...roleNames] })
    await fillLists(lab.owner, { tenantId: filled.id, memberId: reader.principal.memberId, from: 0, to: 60 })
    expect(await adoptTenant(filled.id)).toBe(true)
    // As in an installation: until its adoption has ended, a tenant's rows are not checked.
    expect(await adoptTenant(lab.tenant.id)).toBe(true)
  })
  afterAll(() => lab.close())

  test('an execution of one step', async () => {
    const most = { writes: 4, statements: 10, commits: 3 }
    expectAtMost(await least(databaseTraffic, await executionRunner(lab), most), most)
  })

  test('a policy decision', async () => {
    const most = { writes: 1, statements: 4, commits: 1 }
    const request = await boundAgent(lab, 10)
    expectAtMost(await least(databaseTraffic, () => ourDecision(lab, request), most), most)
  })

  test('executions.get', async () => {
    const most = { writes: 4, statements: 14, commits: 1 }
    await (await executionRunner(lab))()
    const last = 'select id from executions where tenant_id = $1 order by id desc limit 1'
    const { rows } = await lab.owner.query<{ id: string }>(last, [lab.tenant.id])
    expectAtMost(
      await least(databaseTraffic, () => perform(getExecution, lab.pipeline, { id: rows[0]?.id }), most),
      most,
    )
  })

  test.each(allLists())('the first page of $name', async ({ operation, inputs: [input] }) => {
    const most = { writes: 6, statements: 13, commits: 1 }
    const page = () => perform(operation, reader, { ...input, limit: 50 })
    expectAtMost(await least(databaseTraffic, page, most), most)
  })

  test('approvals.decide', async () => {
    const most = { writes: 2, statements: 5, commits: 1 }
    onDecided('release', async () => undefined)
    const approvals: string[] = []
    for (let index = 0; index < mostRepeats; index++) approvals.push(await pendingApproval(lab))
    const seen = await least(databaseTraffic, () => ourDecide(lab, approvals.pop() ?? ''), most).finally(
      registerDecisions,
    )
    expectAtMost(seen, most)
  })
})

describe('of calls over HTTP', () => {
  const token = 'a-token-of-this-test-that-is-long'
  let api: TestApi
  beforeAll(async () => {
    api = await startInstalled({ METRICS_TOKEN: token })
  }, 180_000)
  afterAll(() => api.close())

  const scrape = async (): Promise<Traffic> => {
    const { text } = await api.request(token, '/metrics')
    const of = (what: string) => {
      const line = text.split('\n').find((one) => one.startsWith(`countersign_database_${what}_total `))
      if (line === undefined) throw new Error(`The server does not count its ${what}.`)
      return Number(line.split(' ')[1])
    }
    return { writes: of('writes'), statements: of('statements'), commits: of('commits') }
  }
  const none = { writes: 0, statements: 0, commits: 0 }
  const expectOfCall = async (once: () => Promise<unknown>, most: Traffic) => {
    // Reading the metrics costs nothing.
    expect(await least(scrape, async () => undefined, none)).toEqual(none)
    expectAtMost(await least(scrape, once, most), most)
  }

  test('tenants.current', async () => {
    const what = await ourQueryCall(api)
    await expectOfCall(() => call(what), { writes: 1, statements: 3, commits: 1 })
  })

  test('a client-credentials token', async () => {
    const what = ourTokenCall(api)
    await expectOfCall(() => call(what), { writes: 1, statements: 5, commits: 1 })
  })

  test('policies.evaluate', async () => {
    const what = await ourEvaluateCall(api)
    await expectOfCall(() => call(what), { writes: 2, statements: 5, commits: 1 })
  })

  test('an input event', async () => {
    const what = await ourEventCall(api)
    await expectOfCall(() => call(what(randomUUID())), { writes: 1, statements: 4, commits: 1 })
  })

  test('an input event that was sent before', async () => {
    const what = await ourEventCall(api)
    await expectOfCall(() => call(what('sent-before')), { writes: 2, statements: 5, commits: 1 })
  })
})
