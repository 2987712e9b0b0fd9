import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Installation, openInstallation } from '#server/testing/sql-changes/installation.ts'
import { changesOfLogTables, changesOfTheLog, type Days, harmless } from '#server/testing/sql-changes/log-changes.ts'
import {
  createLogTenant,
  hasAlarm,
  judgeLog,
  type LogChange,
  type LogTenant,
  noteTruth,
  readerOf,
  untilSigned,
} from '#server/testing/sql-changes/log-tenant.ts'
import { readTables } from '#server/testing/sql-changes/rows.ts'
import { until } from '#server/testing/until.ts'
import { countCases, sized } from './counts.ts'

// The owner of the database, without a key, changes the log of a tenant in every table and column, and with every trick that a
// review found. Whatever the service then signs, exports, verifies and shows is true, and an alarm is raised: by the process
// that runs, after it was killed and started again, and by a second node.

const variants = [
  'in the same process',
  'after a restart',
  'on a second node',
  'while an older version is connected',
] as const
type Variant = (typeof variants)[number]
type Case = { change: LogChange; one: LogTenant; forged: readonly string[] }

let server: Installation
let other: LogTenant
const cases: Record<Variant, Case[]> = {
  'in the same process': [],
  'after a restart': [],
  'on a second node': [],
  'while an older version is connected': [],
}

beforeAll(
  async () => {
    server = await openInstallation([])
    const at = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
    const days: Days = { past: at(2), empty: at(1), today: at(0) }
    const tenant = () => createLogTenant(server, `t-${randomBytes(4).toString('hex')}`, days.past)
    const add = async (variant: Variant, change: LogChange) =>
      cases[variant].push({ change, one: await tenant(), forged: [] })
    other = await tenant()
    // Each change in each variant.
    const spread = async (changes: Iterable<LogChange>, share: number) => {
      for (const [index, change] of [...changes].entries())
        for (const [shift, variant] of variants.entries())
          if ((index + shift * Math.trunc(share / variants.length)) % sized(1, share) === 0) await add(variant, change)
    }
    await spread(changesOfTheLog(server, days), 15)
    await spread(changesOfLogTables(server, await readTables(server.owner), days), 192)
    await server.start()
    const tenants = [other, ...Object.values(cases).flatMap((of) => of.map(({ one }) => one))]
    await untilSigned(server, tenants)
    for (const one of tenants) await noteTruth(server, one)
  },
  sized(3_600_000, 600_000),
)
afterAll(() => server.close())

async function makeAll(variant: Variant): Promise<void> {
  for (const one of cases[variant]) {
    const made = await one.change.make(one.one, other)
    one.forged = Array.isArray(made) ? made : []
  }
}

/** What is wrong, by case; where each case was found. */
async function judgeAll(variant: Variant, baseUrl: string) {
  const paused = variant === 'while an older version is connected'
  const wrong: string[] = []
  const unnoticed: Case[] = []
  const waiting = cases[variant].values()
  const judge = async () => {
    for (const one of waiting) {
      const { trick, what, alarmed } = one.change
      const judged = await judgeLog(server, readerOf(baseUrl, one.one), one.one, { forged: one.forged, paused }).catch(
        (error: unknown) => {
          throw new Error(`${trick}: ${what}`, { cause: error })
        },
      )
      const silenced = alarmed && !judged.found.includes('alarm') ? ['the alarm is no longer open'] : []
      for (const why of [...judged.wrong, ...silenced]) wrong.push(`${trick}: ${what}: ${why}`)
      // A read of a record that was deleted says that it was not found; while nothing is signed, no export meets its day.
      const onlyRead = paused && ['verify', 'read'].some((where) => judged.found.includes(where))
      if (judged.found.length === 0 || (onlyRead && !judged.found.includes('alarm'))) unnoticed.push(one)
      if (process.env.SQL_CHANGES) console.log(`${variant} | ${trick} | ${what} | ${judged.found.join(', ')}`)
    }
  }
  await Promise.all([judge(), judge()])
  return { wrong, unnoticed }
}

/** Changes of what the re-read stores about itself. */
const ofCheckState = /^audit_trees(?!.*: size$)/

/** The re-read is due now, not within a day. */
async function makeDue(variant: Variant): Promise<void> {
  for (const { one, change } of cases[variant])
    if (!ofCheckState.test(change.what) && change.trick !== 'silence the re-read')
      await server.owner.query('update audit_trees set checked_at = null, mac = null where tenant_id = $1', [
        one.tenant.id,
      ])
}

/** The re-read raises an alarm for each change that no request has found. */
async function untilAlarmed(unnoticed: readonly Case[]): Promise<void> {
  for (const { change, one } of unnoticed) {
    const what = `${change.trick}: ${change.what}`
    if (harmless.test(change.what)) continue
    await until(async () => ((await hasAlarm(readerOf(server.baseUrl, one))) ? true : undefined), `an alarm: ${what}`)
  }
}

test('in the same process, nothing untrue is signed, exported, verified or shown', {
  timeout: sized(3_600_000, 1_200_000),
}, async (context) => {
  await makeAll('in the same process')
  const { wrong } = await judgeAll('in the same process', server.baseUrl)
  expect(wrong).toEqual([])
  countCases(context, cases['in the same process'].length)
})

test('after a restart it is the same, and the re-read raises an alarm for what no request has found', {
  timeout: sized(3_600_000, 1_200_000),
}, async (context) => {
  const variant = 'after a restart'
  await makeAll(variant)
  await makeDue(variant)
  await server.killAndRestart()
  const { wrong, unnoticed } = await judgeAll(variant, server.baseUrl)
  expect(wrong).toEqual([])
  await untilAlarmed(unnoticed)
  countCases(context, cases[variant].length)
})

test('on a second node it is the same', { timeout: sized(3_600_000, 1_200_000) }, async (context) => {
  const baseUrl = await server.startSecond()
  await makeAll('on a second node')
  const { wrong } = await judgeAll('on a second node', baseUrl)
  expect(wrong).toEqual([])
  countCases(context, cases['on a second node'].length)
})

test('a connection that looks like an older version, which pauses signing, lets nothing untrue pass', {
  timeout: sized(3_600_000, 1_200_000),
}, async (context) => {
  const variant = 'while an older version is connected'
  const older = new Client({ connectionString: server.serverUrl })
  await older.connect()
  try {
    await makeAll(variant)
    await makeDue(variant)
    // A process that starts sees the connection with its first question.
    await server.killAndRestart()
    const { wrong, unnoticed } = await judgeAll(variant, server.baseUrl)
    expect(wrong).toEqual([])
    await untilAlarmed(unnoticed)
  } finally {
    await older.end()
  }
  countCases(context, cases[variant].length)
})
