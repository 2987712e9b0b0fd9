import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PolicyTemplate } from '#lib/policy-gallery/template.ts'
import { templates } from '#lib/policy-gallery/templates.ts'
import type { PreviewOutput } from '#lib/schemas/policies/rules.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { execute } from '#server/kernel/operation.ts'
import { closeEngine } from '#server/policies/engine/engine.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { preview } from './preview.ts'

let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let maria: Caller
beforeAll(async () => {
  runtime = await testRuntime()
  tenant = await testTenant(runtime)
  maria = await tenant.as('maria', { roles: ['developer'] })
})
afterAll(async () => {
  await closeEngine()
  await runtime.close()
})

const tried = (input: unknown, by = maria): Promise<PreviewOutput> => execute(preview, by, input, { name: 'test' })
const callsOf = ({ names, sideEffect, inputSchema, examples }: PolicyTemplate, tool = names.tool) =>
  examples.map(({ title: _title, ...example }) => ({ tool, sideEffect, inputSchema, ...example }))
const decided = ({ outcomes }: PreviewOutput) =>
  outcomes.map(({ effect, obligations, reasons }) => [
    effect,
    effect === 'deny'
      ? reasons[0]?.rule
      : obligations.flatMap((one) => (one.kind === 'approval' ? one.policyRule : [])),
  ])

/** By template: what each example is decided to be, and the rule or the approvals that decide it. */
const expected: Record<string, unknown[]> = {
  refunds: [
    ['allow', []],
    ['require_approval', ['larger-refunds']],
    ['deny', 'refund-ceiling'],
  ],
  deletion: [
    ['require_approval', ['two-people']],
    ['deny', 'no-ticket'],
    ['deny', 'keep-invoices'],
  ],
  'data-export': [
    ['allow', []],
    ['require_approval', ['personal-data']],
    ['require_approval', ['large-exports']],
    ['deny', 'known-destinations'],
  ],
  'outside-mail': [
    ['allow', []],
    ['require_approval', ['outsiders']],
    ['deny', 'outside-attachments'],
  ],
  deployments: [
    ['allow', []],
    ['require_approval', ['production']],
    ['require_approval', ['production', 'migrations']],
    ['deny', 'named-versions'],
  ],
  spending: [
    ['allow', []],
    ['require_approval', ['larger-orders']],
    ['require_approval', ['larger-orders', 'largest-orders']],
    ['deny', 'euros-only'],
  ],
}

describe('each policy of the gallery', () => {
  test.each(templates)('$key passes the check, is said in words, and decides its examples', async (template) => {
    const result = await tried({ source: template.source(template.names), calls: callsOf(template) })
    expect(result.problems).toEqual([])
    expect(result.rules.filter(({ words, title }) => words === null || title === null)).toEqual([])
    expect(decided(result)).toEqual(expected[template.key])
  })

  test.each(templates)('$key asks or denies where the argument that it limits is missing', async (template) => {
    const { required: _required, ...open } = template.inputSchema
    const [call] = callsOf(template)
    const { problems, outcomes } = await tried({
      source: template.source(template.names),
      calls: [{ ...call, inputSchema: open, arguments: {} }],
    })
    expect(problems).toEqual([])
    expect(outcomes.map(({ effect }) => effect)).not.toContain('allow')
  })

  test('fits another tool and group by their names', async () => {
    for (const template of templates) {
      const names = { tool: 'backoffice/do-it_2', group: 'owners' }
      const result = await tried({ source: template.source(names), calls: callsOf(template, names.tool) })
      expect(decided(result), template.key).toEqual(expected[template.key])
    }
  })
})

describe('a text that is not stored', () => {
  const scope = 'principal, action in Countersign::Action::"ToolCall", resource'

  test('is not tried if it would be refused, and its problems are returned', async () => {
    const { problems, rules, outcomes } = await tried({
      source: `permit (${scope});`,
      calls: templates.slice(0, 1).flatMap((one) => callsOf(one)),
    })
    expect(problems).toMatchObject([{ line: 1 }])
    expect({ rules, outcomes }).toEqual({ rules: [], outcomes: [] })
  })

  test('shows rules with their line, their obligation, and the only agent they can apply to', async () => {
    const source = `// One.\n@id("one") permit (principal == Countersign::Agent::"refunds", action, resource);

@id("two") @obligation("mask") @mask_paths("$.note") @mask_method("hash")
forbid (${scope}) when { if context.call.counters.toolCalls > 1 then true else false } unless { context.fulfilled.contains("mask:two") };`
    const { rules } = await tried({ source })
    expect(rules).toMatchObject([
      { rule: 'one', effect: 'permit', line: 2, onlyAgent: 'refunds', obligation: null, words: expect.any(String) },
      {
        rule: 'two',
        effect: 'forbid',
        line: 4,
        onlyAgent: null,
        obligation: 'mask',
        parameters: { paths: '$.note', method: 'hash' },
        // Said in part, it would mislead.
        words: null,
      },
    ])
  })

  test('is denied to members who don’t write policies, and refuses too many or unnamed calls', async () => {
    const source = `@id("all") permit (${scope});`
    const call = { tool: 'a/b', arguments: {} }
    await expect(tried({ source }, await tenant.as('jonas', { roles: ['approver'] }))).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(tried({ source, calls: Array(21).fill(call) })).rejects.toMatchObject({ code: 'validation_failed' })
    for (const tool of ['', 'a', '/b', 'a/', 'a b/c'])
      await expect(tried({ source, calls: [{ ...call, tool }] }), tool).rejects.toMatchObject({
        code: 'validation_failed',
      })
    expect(decided(await tried({ source, calls: [call] }))).toEqual([['allow', []]])
  })

  test('leaves no decision and no record', async () => {
    const count = () =>
      runtime.database.inTenant(tenant.id, async (tx) => [
        await tx.selectFrom('policyDecisions').select(tx.fn.countAll().as('n')).executeTakeFirstOrThrow(),
        await tx.selectFrom('auditRecords').select(tx.fn.countAll().as('n')).executeTakeFirstOrThrow(),
      ])
    const before = await count()
    await tried({ source: `@id("all") permit (${scope});`, calls: [{ tool: 'a/b', arguments: {} }] })
    expect(await count()).toEqual(before)
  })
})
