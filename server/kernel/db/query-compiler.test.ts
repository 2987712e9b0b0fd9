import { afterAll, beforeAll, expect, test } from 'vitest'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'

let runtime: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  runtime = await testRuntime()
})
afterAll(() => runtime.close())

const named = async (wanted: { in?: readonly string[]; notIn?: readonly string[] }) => {
  const tenant = await testTenant(runtime)
  for (const name of ['anna', 'ben', 'o\'brian \\ "{},', 'null']) await tenant.as(name)
  return await runtime.database.inTenant(tenant.id, async (tx) => {
    let query = tx.selectFrom('members').select('username').where('tenantId', '=', tenant.id).orderBy('username')
    if (wanted.in !== undefined) query = query.where('username', 'in', wanted.in)
    if (wanted.notIn !== undefined) query = query.where('username', 'not in', wanted.notIn)
    return { text: query.compile().sql, names: (await query.execute()).map(({ username }) => username) }
  })
}

test('a list of values is one parameter, so that its length does not change the statement', async () => {
  const one = await named({ in: ['anna'] })
  const two = await named({ in: ['anna', 'ben'] })
  const three = await named({ in: ['o\'brian \\ "{},', 'ben', 'null'] })
  expect(one.names).toEqual(['anna'])
  expect(three.names).toEqual(['ben', 'null', 'o\'brian \\ "{},'])
  expect(two.names).toEqual(['anna', 'ben'])
  expect(three.text).toBe(two.text)
  expect(two.text).toContain('"username" = any($2)')
  // An index by username and then another column has these rows in the order of the latter.
  expect(one.text).toContain('"username" = $2 ')
})

test('everything but the values of a list', async () => {
  expect((await named({ notIn: ['anna', 'null'] })).names).toEqual(['ben', 'o\'brian \\ "{},'])
})

test('an empty list includes nothing, and excludes nothing', async () => {
  expect((await named({ in: [] })).names).toEqual([])
  expect((await named({ notIn: [] })).names).toHaveLength(4)
})
