import { afterAll, beforeAll, expect, test } from 'vitest'
import { countCases } from './counts.ts'
import { tenantDigest } from './digest.ts'
import {
  cells,
  comparable,
  type Matrix,
  namesObject,
  neverExisted,
  objectIn,
  objectToUse,
  openMatrix,
  through,
} from './matrix.ts'
import type { World } from './world.ts'

// Tests the predicates of the stores alone: without row-level security, a statement that omits its tenant is found.

let matrix: Matrix
let own: World
let foreign: World
beforeAll(async () => {
  matrix = await openMatrix({ pastRowSecurity: true })
  own = matrix.own
  foreign = matrix.foreign
}, 300_000)
afterAll(() => matrix.close())

test('row-level security is off in this suite', async () => {
  const { rows } = await matrix.server.owner.query<{ bypasses: boolean }>(
    'select rolsuper or rolbypassrls as bypasses from pg_roles where rolname = current_user',
  )
  expect(rows).toEqual([{ bypasses: true }])
})

test('without row-level security, another tenant’s object gets the same response as one that never existed', async (context) => {
  const before = await tenantDigest(matrix.server.owner, foreign.tenant.id)
  const cases = await through(cells(namesObject), async (entry, cell) => {
    const reference = objectIn(foreign, cell)
    const never = neverExisted(reference)
    const real = await matrix.ask(entry, own.credentials.person, await cell.input(reference, own))
    const none = await matrix.ask(entry, own.credentials.person, await cell.input(never, own))
    expect(real.status, `${cell.names}: ${real.text}`).toBe(cell.absent)
    expect(comparable(real, reference), cell.names).toEqual(comparable(none, never))
    return 2
  })
  expect(await tenantDigest(matrix.server.owner, foreign.tenant.id)).toEqual(before)
  countCases(context, cases)
}, 300_000)

test('without row-level security, responses about the caller’s objects contain no data of another tenant', async (context) => {
  const before = await tenantDigest(matrix.server.owner, foreign.tenant.id)
  const cases = await through(
    cells(({ names }) => names !== 'new name'),
    async (entry, cell) => {
      const answer = await matrix.ask(
        entry,
        own.credentials.person,
        await cell.input(await objectToUse(entry, own, cell), own),
      )
      expect(cell.own, `${cell.names}: ${answer.status} ${answer.text}`).toContain(answer.status)
      return 1
    },
  )
  expect(await tenantDigest(matrix.server.owner, foreign.tenant.id)).toEqual(before)
  countCases(context, cases)
}, 300_000)
