import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { execute } from '#server/kernel/operation.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { check } from './check.ts'
import { list } from './list.ts'

let runtime: Awaited<ReturnType<typeof testRuntime>>
let maria: Caller
beforeAll(async () => {
  runtime = await testRuntime()
  maria = await (await testTenant(runtime)).as('maria', { roles: ['developer'] })
})
afterAll(() => runtime.close())

const checked = (yaml: string) => execute(check, maria, { yaml }, { name: 'test' })

test('every flaw that would refuse a manifest is told with its place, and nothing is registered', async () => {
  const yaml = `metadata: { name: waits }
spec:
  runtime:
    steps:
      - { id: one, wait: { input: nowhere } }
      - { id: two, wait: { input: neither } }
`
  const { problems } = await checked(yaml)
  expect(problems.map(({ line }) => line)).toEqual([5, 6])
  expect(await checked('metadata:\n  name: [')).toMatchObject({
    problems: [{ line: expect.any(Number) }],
    warnings: [],
  })
  expect(await checked('')).toMatchObject({ problems: [{ line: 1, column: 1 }] })
  expect(await execute(list, maria, {}, { name: 'test' })).toMatchObject({ items: [] })
})

test('an owner whom nobody knows is told at their line', async () => {
  expect(await checked('metadata:\n  name: owned\nspec:\n  owner: nobody@x.example\n')).toMatchObject({
    problems: [{ path: 'spec.owner', line: 4 }],
  })
})

test('members without effect are warnings with their place', async () => {
  const answer = await checked('metadata:\n  name: kept\n  "odd.member": 1\nspec:\n  riski: high\n')
  expect(answer.problems).toEqual([])
  expect(answer.warnings).toContainEqual(expect.objectContaining({ path: 'metadata.odd.member', line: 3 }))
  expect(answer.warnings).toContainEqual(expect.objectContaining({ path: 'spec.riski', line: 5 }))
})

test('a manifest that is too large is told as such', async () => {
  expect(await checked(`name: ${'x'.repeat(70_000)}`)).toMatchObject({
    problems: [{ message: expect.stringMatching(/^A manifest has at most 65536 bytes/) }],
  })
})
