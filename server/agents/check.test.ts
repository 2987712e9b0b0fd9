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

test('reports every error of a manifest with its position, without registering it', async () => {
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

test('reports an unknown owner with its line', async () => {
  expect(await checked('metadata:\n  name: owned\nspec:\n  owner: unknown@x.example\n')).toMatchObject({
    problems: [{ path: 'spec.owner', line: 4 }],
  })
})

test('reports unknown members as warnings with their position', async () => {
  const answer = await checked('metadata:\n  name: kept\n  "odd.member": 1\nspec:\n  riski: high\n')
  expect(answer.problems).toEqual([])
  expect(answer.warnings).toContainEqual(expect.objectContaining({ path: 'metadata.odd.member', line: 3 }))
  expect(answer.warnings).toContainEqual(expect.objectContaining({ path: 'spec.riski', line: 5 }))
})

test('reports a manifest that is too large', async () => {
  expect(await checked(`name: ${'x'.repeat(70_000)}`)).toMatchObject({
    problems: [{ message: expect.stringMatching(/^A manifest can be up to 65536 bytes/) }],
  })
})
