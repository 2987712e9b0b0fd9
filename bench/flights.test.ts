import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onDecided } from '#server/approvals/subjects.ts'
import { registerDecisions } from '#server/jobs.ts'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { databaseTraffic, type Traffic } from '#server/kernel/db/connection.ts'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { until } from '#server/testing/until.ts'
import { ourTokenCall } from './cases/case-01-token.ts'
import { ourQueryCall } from './cases/case-02-query.ts'
import { executionRunner } from './cases/case-06-execution.ts'
import { ourEventCall } from './cases/case-07-input.ts'
import { ourDecide, pendingApproval } from './cases/case-08-decide.ts'
import { type Lab, openLab } from './lab.ts'
import { call } from './load.ts'

// What frequent calls send to PostgreSQL at most: a change that adds a write, a statement or a commit to one of them fails here. Lower
// the figures with each change that needs fewer.

const repeats = 9

/** The least of several calls: background work can only add to one, and the first ones also fill what the process keeps. */
async function least(read: () => Promise<Traffic> | Traffic, once: () => Promise<unknown>): Promise<Traffic> {
  const seen: Traffic[] = []
  for (let index = 0; index < repeats; index++) {
    const before = await read()
    await once()
    const after = await read()
    seen.push({
      writes: after.writes - before.writes,
      statements: after.statements - before.statements,
      commits: after.commits - before.commits,
    })
  }
  const of = (field: keyof Traffic) => Math.min(...seen.map((one) => one[field]))
  return { writes: of('writes'), statements: of('statements'), commits: of('commits') }
}

function expectAtMost(seen: Traffic, most: Traffic): void {
  for (const field of ['writes', 'statements', 'commits'] as const)
    expect(seen[field], `${field} of ${JSON.stringify(seen)}`).toBeLessThanOrEqual(most[field])
  expect(seen.writes).toBeGreaterThan(0)
}

describe('of the parts in this process', () => {
  let lab: Lab
  beforeAll(async () => {
    lab = await openLab()
    // As in an installation: until its adoption has ended, a tenant's rows are not checked.
    expect(await adoptTenant(lab.tenant.id)).toBe(true)
  })
  afterAll(() => lab.close())

  test('an execution of one step', async () => {
    const seen = await least(databaseTraffic, await executionRunner(lab))
    expectAtMost(seen, { writes: 15, statements: 41, commits: 3 })
  })

  test('approvals.decide', async () => {
    onDecided('release', async () => undefined)
    const approvals: string[] = []
    for (let index = 0; index < repeats; index++) approvals.push(await pendingApproval(lab))
    const seen = await least(databaseTraffic, () => ourDecide(lab, approvals.pop() ?? '')).finally(registerDecisions)
    expectAtMost(seen, { writes: 5, statements: 22, commits: 1 })
  })
})

describe('of calls over HTTP', () => {
  const token = 'a-token-of-this-test-that-is-long'
  let api: TestApi
  beforeAll(async () => {
    api = await startApi({ METRICS_TOKEN: token, ADOPT_ROWS_AFTER: '0' })
    const owner = new Client({ connectionString: api.ownerUrl })
    await owner.connect()
    await until(async () => {
      const { rows } = await owner.query<{ open: boolean }>(
        'select exists (select from tenants where id not in (select tenant_id from bound_adoptions)) as open',
      )
      return rows[0]?.open === false ? true : undefined
    }, 'all rows were bound')
    await owner.end()
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
  /** Reading the metrics sends statements, too. */
  const ofCall = async (once: () => Promise<unknown>): Promise<Traffic> => {
    const [reading, both] = [await least(scrape, async () => undefined), await least(scrape, once)]
    return {
      writes: both.writes - reading.writes,
      statements: both.statements - reading.statements,
      commits: both.commits - reading.commits,
    }
  }

  test('tenants.current', async () => {
    const what = await ourQueryCall(api)
    expectAtMost(await ofCall(() => call(what)), { writes: 2, statements: 3, commits: 1 })
  })

  test('a client-credentials token', async () => {
    const what = ourTokenCall(api)
    expectAtMost(await ofCall(() => call(what)), { writes: 1, statements: 5, commits: 1 })
  })

  test('an input event', async () => {
    const what = await ourEventCall(api)
    expectAtMost(await ofCall(() => call(what(randomUUID()))), { writes: 5, statements: 9, commits: 1 })
  })
})
