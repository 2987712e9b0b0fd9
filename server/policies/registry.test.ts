import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newId, newSpanId } from '#server/kernel/ids.ts'
import { execute, type Mutation, type Query } from '#server/kernel/operation.ts'
import { sourceDigest } from '#server/policies/language/source-digest.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { checkSource } from './check.ts'
import { createPolicy } from './create.ts'
import { createVersion } from './create-version.ts'
import { getPolicy } from './get.ts'
import { listPolicies } from './list.ts'
import { listVersions } from './list-versions.ts'
import { publishVersion } from './publish-version.ts'

const source = '@id("all") permit (principal, action in Countersign::Action::"ToolCall", resource);'
let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let author: Caller
let stranger: Caller

beforeAll(async () => {
  runtime = await testRuntime()
  tenant = await testTenant(runtime)
  author = await tenant.as('maria', { roles: ['developer'] })
  stranger = await (await testTenant(runtime)).as('maria', { roles: ['developer'] })
})
afterAll(() => runtime.close())

const run = <I, O>(operation: Query<I, O> | Mutation<I, O>, input: unknown, caller = author): Promise<O> =>
  execute(operation, caller, input, { name: 'test' })
const audited = (action: string) =>
  runtime.database.inTenant(tenant.id, (tx) =>
    tx
      .selectFrom('auditRecords')
      .select('record')
      .where('tenantId', '=', tenant.id)
      .where('type', '=', action)
      .execute(),
  )
const newPolicy = () => run(createPolicy, { name: `policy-${newSpanId()}`, description: 'd' })

describe('policies', () => {
  test('names are unique, and creation is recorded in the audit log', async () => {
    const policy = await run(createPolicy, { name: 'taken' })
    expect(policy).toMatchObject({
      name: 'taken',
      description: '',
      latestPublishedVersion: null,
      createdBy: { username: 'maria' },
    })
    await expect(run(createPolicy, { name: 'taken' })).rejects.toMatchObject({ code: 'name_conflict', status: 409 })
    expect((await audited('policy.created')).map(({ record }) => record)).toContainEqual(
      expect.objectContaining({ resource: { type: 'policy', id: policy.id } }),
    )
  })

  test('a policy and its first draft are created together or not at all', async () => {
    const name = `policy-${newSpanId()}`
    await expect(run(createPolicy, { name, source: 'permit (principal' })).rejects.toMatchObject({
      code: 'invalid_policy',
      issues: [{ line: 1 }],
    })
    const policy = await run(createPolicy, { name, source })
    expect(await run(getPolicy, { id: policy.id })).toMatchObject({
      latestPublishedVersion: null,
      versions: [{ version: 1, source, status: 'draft', digest: sourceDigest(source) }],
    })
    expect((await audited('policy_version.created')).map(({ record }) => record)).toContainEqual(
      expect.objectContaining({
        resource: { type: 'policy', id: policy.id },
        details: { version: 1, digest: sourceDigest(source) },
        actor: expect.objectContaining({ name: 'maria' }),
      }),
    )
  })

  test('checking a source reports the same issues as storing it, without storing it', async () => {
    const before = (await run(listPolicies, {})).items.length
    const wrong = 'permit (principal, action, resource)\nwhen { principal.nonsense == 1 };\n\npermit (principal;'
    const { problems } = await run(checkSource, { source: wrong })
    expect(problems.length).toBeGreaterThan(0)
    for (const { line, column } of problems) expect([line, column]).toEqual([expect.any(Number), expect.any(Number)])
    await expect(run(createPolicy, { name: 'never', source: wrong })).rejects.toMatchObject({ issues: problems })
    expect(await run(checkSource, { source })).toEqual({ problems: [], warnings: [] })
    expect(await run(checkSource, { source: '' })).toMatchObject({ problems: [{ line: 1, column: 1 }] })
    expect((await run(listPolicies, {})).items).toHaveLength(before)
  })

  test('is checked for groups that could not approve, where the rule names them', async () => {
    await tenant.as('jonas', { roles: ['approver'], groups: ['refund-approvers'] })
    const ask = (id: string, terms: string) =>
      `@id("${id}") @obligation("approval")\n${terms}\nforbid (principal, action, resource) unless { context.fulfilled.contains("approval:${id}") };`
    const rules = [
      source,
      ask('one', '@approval_group("refund-aprovers")'),
      ask('two', '@approval_quorum("9") @approval_group ( "refund-approvers" )'),
      ask('three', '// @approval_group("commented-out")\n@approval_stages("refund-approvers, finance:2")'),
      ask('four', '@approval_group("refund-approvers") @message("@approval_group(\\"quoted\\")")'),
      // The group of the manifest, which the policy does not know.
      ask('five', '@approval_quorum("9")'),
    ]
    const { problems, warnings } = await run(checkSource, { source: rules.join('\n') })
    expect(problems).toEqual([])
    expect(warnings).toEqual([
      { path: 'source', line: 3, column: 2, message: 'The approver group refund-aprovers does not exist.' },
      {
        path: 'source',
        line: 6,
        column: 24,
        message: 'Not enough eligible members in refund-approvers: 9 required, 1 eligible.',
      },
      { path: 'source', line: 10, column: 2, message: 'The approver group finance does not exist.' },
    ])
  })

  test('policies are listed in pages, newest first', async () => {
    const [older, newer] = [await newPolicy(), await newPolicy()]
    const first = await run(listPolicies, { limit: 1 })
    expect(first.items.map(({ id }) => id)).toEqual([newer.id])
    const second = await run(listPolicies, { limit: 1, cursor: first.nextCursor })
    expect(second.items.map(({ id }) => id)).toEqual([older.id])
  })

  test('reading requires policy:read, writing requires policy:author', async () => {
    const viewer = await tenant.as('vic', { roles: ['viewer'] })
    const nora = await tenant.as('nora')
    await expect(run(createPolicy, { name: 'v' }, viewer)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(run(listPolicies, {}, nora)).rejects.toMatchObject({ code: 'forbidden' })
    expect((await run(listPolicies, {}, viewer)).items).not.toHaveLength(0)
  })
})

describe('versions', () => {
  test('drafts are numbered, published once, and listed with their digest', async () => {
    const { id: policyId } = await newPolicy()
    const first = await run(createVersion, { policyId, source })
    const second = await run(createVersion, { policyId, source: `// two\n${source}` })
    expect(first).toMatchObject({ version: 1, status: 'draft', digest: sourceDigest(source), publishedAt: null })
    expect(second.version).toBe(2)

    const published = await run(publishVersion, { policyId, version: 1 })
    expect(published).toMatchObject({ version: 1, status: 'published', publishedAt: expect.any(String) })
    await expect(run(publishVersion, { policyId, version: 1 })).rejects.toMatchObject({ code: 'conflict', status: 409 })
    await expect(run(publishVersion, { policyId, version: 9 })).rejects.toMatchObject({ code: 'not_found' })

    const page = await run(listVersions, { policyId, limit: 1 })
    expect(page).toMatchObject({ items: [{ version: 2, status: 'draft' }], nextCursor: '2' })
    expect(await run(listVersions, { policyId, limit: 1, cursor: '2' })).toMatchObject({
      items: [{ version: 1, status: 'published' }],
      nextCursor: null,
    })
    expect(await run(getPolicy, { id: policyId })).toMatchObject({
      latestPublishedVersion: 1,
      versions: [{ version: 2 }, { version: 1, source }],
    })
  })

  test('of two concurrent publications, one succeeds', async () => {
    const { id: policyId } = await newPolicy()
    await run(createVersion, { policyId, source })
    const both = await Promise.allSettled([1, 2].map(() => run(publishVersion, { policyId, version: 1 })))
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('versions created concurrently get distinct numbers', async () => {
    const { id: policyId } = await newPolicy()
    const rows = await Promise.all([1, 2, 3].map(() => run(createVersion, { policyId, source })))
    expect(rows.map(({ version }) => version).sort()).toEqual([1, 2, 3])
  })

  test('a source with errors is rejected with their positions and not stored', async () => {
    const { id: policyId } = await newPolicy()
    await expect(run(createVersion, { policyId, source: `${source}\n@id("é") permit (x);` })).rejects.toMatchObject({
      code: 'invalid_policy',
      status: 400,
      message: expect.stringMatching(/^Line 2, column \d+: /),
      issues: [{ path: 'source', line: 2, column: expect.any(Number), message: expect.any(String) }],
    })
    expect((await run(listVersions, { policyId })).items).toEqual([])
  })

  test('another tenant’s policy gives the same 404 as one that never existed', async () => {
    const { id: policyId } = await newPolicy()
    await run(createVersion, { policyId, source })
    for (const id of [policyId, newId()]) {
      const unknown = { code: 'not_found', message: 'Not found.' }
      await expect(run(getPolicy, { id }, stranger)).rejects.toMatchObject(unknown)
      await expect(run(listVersions, { policyId: id }, stranger)).rejects.toMatchObject(unknown)
      await expect(run(createVersion, { policyId: id, source }, stranger)).rejects.toMatchObject(unknown)
      await expect(run(publishVersion, { policyId: id, version: 1 }, stranger)).rejects.toMatchObject(unknown)
    }
    expect((await run(listPolicies, {}, stranger)).items).toEqual([])
  })
})
