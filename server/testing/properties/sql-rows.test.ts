import { randomBytes } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { boundTypes } from '#server/kernel/bound/types.ts'
import { inside, itemsOf, query, type Reader } from '#server/testing/sql-changes/calls.ts'
import { notInMatrix, rowTables, spanTables } from '#server/testing/sql-changes/every-table.ts'
import { type Installation, openInstallation } from '#server/testing/sql-changes/installation.ts'
import {
  changesOfRows,
  changesOfSpans,
  changesOfStates,
  isContent,
  mustNotVerify,
  type RowChange,
} from '#server/testing/sql-changes/row-changes.ts'
import {
  buildRowWorld,
  judgeArchive,
  judgeRecord,
  judgeRows,
  noteRows,
  type RowWorld,
  readerOfWorld,
} from '#server/testing/sql-changes/row-world.ts'
import { dropUniqueIndexes, keeping, readTables, type Table } from '#server/testing/sql-changes/rows.ts'
import { until } from '#server/testing/until.ts'
import { countCases, sized } from './counts.ts'

// The owner of the database, without a key, changes rows of evidence in every table and column, and with every trick that a
// review found. No archive with the change is published or agrees, no record that commits to a changed object verifies, and the
// re-read raises an alarm for each object: of the process that runs, after it was killed and started again, and on a second node.

let server: Installation
let one: RowWorld
let other: RowWorld
let tables: Table[]
let second: Reader
beforeAll(async () => {
  const slugs = [1, 2].map(() => `w-${randomBytes(4).toString('hex')}`)
  server = await openInstallation(slugs.map((slug) => `ext-${slug}`))
  tables = await readTables(server.owner)
  await server.start()
  one = await buildRowWorld(server, slugs[0] ?? '')
  other = await buildRowWorld(server, slugs[1] ?? '')
  await dropUniqueIndexes(
    server.owner,
    boundTypes.map(({ table }) => table),
  )
  await noteRows(server, readerOfWorld(server.baseUrl, one), one)
  second = readerOfWorld(await server.startSecond(), one)
}, 300_000)
afterAll(() => server.close())

const kept = () => tables.filter(({ name }) => rowTables.has(name) || spanTables.some((table) => table === name))
const tenants = () => [one.world.tenant.id, other.world.tenant.id]
const say = (line: string) => {
  if (process.env.SQL_CHANGES) appendFileSync(process.env.SQL_CHANGES, `${line}\n`)
}

test('every table is part of a matrix, or has a reason why a change to it proves nothing', () => {
  expect(notInMatrix(tables.map(({ name }) => name))).toEqual([])
})

test('no archive with a changed row is published or agrees, and no record of it verifies, whichever node is asked', {
  timeout: sized(7_200_000, 2_400_000),
}, async (context) => {
  const all = [...changesOfRows(server, tables), ...changesOfStates(server, tables), ...changesOfSpans(server, tables)]
  const wrong: string[] = []
  let made = 0
  for (const [index, change] of all.entries()) {
    if (index % sized(1, 80) !== 0) continue
    const { trick, type, what, make } = change
    const reader = index % 2 === 0 ? second : readerOfWorld(server.baseUrl, one)
    await keeping(server.owner, kept(), tenants(), async () => {
      const id = await make(one, other)
      if (id === undefined) return
      made += 1
      // First: other reads raise alarms, which must not be what it depends on.
      const object = mustNotVerify(change, id)
      const verified = object === undefined ? undefined : await judgeRecord(reader, one, object)
      const { found, shown, archive } = await judgeRows(reader, one)
      say(
        `${type} | ${trick} | ${what} | ${found.join(', ')} | ${shown.join(', ')} | ${archive.text} | ${verified ?? ''}`,
      )
      if (archive.wrong !== undefined) wrong.push(`${type}: ${trick} ${what}: ${archive.wrong}`)
      if (verified === true) wrong.push(`${type}: ${trick} ${what}: its record verifies`)
    })
  }
  expect(wrong).toEqual([])
  countCases(context, made)
})

/** Changes that can be made together: in each round one of each type, and all tricks. */
function rounds(): RowChange[][] {
  const types = new Map<string, RowChange[]>()
  for (const one of [...changesOfRows(server, tables), ...changesOfStates(server, tables)]) {
    if (isContent(one)) continue
    const type = one.trick.startsWith('bound_') ? one.trick.split(':', 1)[0] : one.type
    types.set(type ?? '', [...(types.get(type ?? '') ?? []), one])
  }
  const lists = [...types.values()].map((all) => [
    ...all.filter(({ trick }) => trick !== 'alter'),
    ...all.filter(({ trick }) => trick === 'alter'),
  ])
  const most = Math.max(...lists.map((list) => list.length))
  return Array.from({ length: most }, (_, round) =>
    lists.flatMap((list, place) => (round < list.length ? (list[(round + place) % list.length] ?? []) : [])),
  )
}

/** The objects with an open alarm that was seen since then. */
async function alarmsSince(reader: Reader, since: string): Promise<Set<string>> {
  const subjects = new Set<string>()
  for (let cursor = ''; ; ) {
    const input = { status: 'open', limit: 100 }
    const { json } = await query(reader, 'alarms.list', cursor === '' ? input : { ...input, cursor })
    for (const item of itemsOf(json))
      if (String(inside(item, 'lastSeenAt')) >= since) subjects.add(String(inside(item, 'subject')))
    const next = inside(json, 'nextCursor')
    if (typeof next !== 'string') return subjects
    cursor = next
  }
}

test('after a restart, the re-read raises an alarm for each changed object, and neither archives nor records agree', {
  timeout: sized(7_200_000, 2_400_000),
}, async (context) => {
  let made = 0
  const silent: string[] = []
  const wrong: string[] = []
  const types = new Set<string>()
  for (const [index, changes] of rounds().entries()) {
    if (index % sized(1, 24) !== 0) continue
    await keeping(server.owner, kept(), tenants(), async () => {
      const since = new Date().toISOString()
      const expected = new Map<string, string>()
      const records = new Map<string, string>()
      for (const change of changes) {
        const { trick, type, what, make } = change
        const id = await make(one, other)
        if (id === undefined) continue
        expected.set(`${type}/${id}`, `${type}: ${trick} ${what}`)
        types.add(type)
        const object = mustNotVerify(change, id)
        if (object !== undefined) records.set(object, `${type}: ${trick} ${what}`)
      }
      made += expected.size
      const all = [...expected.values()].join(', ')
      await server.killAndRestart()
      const reader = readerOfWorld(server.baseUrl, one)
      for (const [object, what] of records)
        if ((await judgeRecord(reader, one, object)) === true) wrong.push(`${what}: its record verifies`)
      const archive = await judgeArchive(reader, one)
      if (archive.wrong !== undefined) wrong.push(`${archive.wrong}, with ${all}`)
      await until(async () => {
        const seen = await alarmsSince(reader, since)
        for (const subject of seen) expected.delete(subject)
        return expected.size === 0 ? true : undefined
      }, 'each object has an alarm').catch(() => undefined)
      silent.push(...expected.values())
    })
  }
  expect(wrong).toEqual([])
  expect(silent).toEqual([])
  say(
    `types without a row: ${boundTypes
      .filter(({ type }) => !types.has(type))
      .map(({ type }) => type)
      .join(', ')}`,
  )
  countCases(context, made)
})
