import { describe, expect, test } from 'vitest'
import { findExcess, limits } from '#server/policies/language/split-rules.ts'
import { checkPolicy } from './check-policy.ts'

const tenant = 'any'
const head = (effect: string) => `${effect} (principal, action in Countersign::Action::"ToolCall", resource)`
const permit = (condition: string, id = 'a') => `@id("${id}") ${head('permit')} when { ${condition} };`
const soft = (annotations: string, unless = 'context.fulfilled.contains("approval:s")') =>
  `@id("s") @obligation("approval") ${annotations} ${head('forbid')} unless { ${unless} };`
const messages = async (source: string) => (await checkPolicy(tenant, source)).map(({ message }) => message)

describe('parsing and validating', () => {
  test('finds no issues in a valid policy', async () => {
    expect(
      await checkPolicy(tenant, `${permit('resource.sideEffect == "read"')}\n${soft('@approval_ttl("PT30M")')}`),
    ).toEqual([])
  })

  test('reports a syntax error with line and column in characters', async () => {
    const source = `${permit('true')}\n// Größe: 5 €\n${permit('"é" == foo', 'b')}`
    expect(await checkPolicy(tenant, source)).toEqual([
      expect.objectContaining({ path: 'source', line: 3, column: (source.split('\n')[2]?.indexOf('foo') ?? 0) + 1 }),
    ])
  })

  test('reports the syntax error of each rule', async () => {
    const source = `${permit('foo', 'a')}\n${permit('bar', 'b')}`
    expect((await checkPolicy(tenant, source)).map(({ line }) => line)).toEqual([1, 2])
  })

  test('reports an unknown attribute with its name and position', async () => {
    const source = `${permit('true')}\n${permit('"é" == "é" && resource.nam == "x"', 'b')}`
    const [issue] = await checkPolicy(tenant, source)
    expect(issue?.message).toContain('`nam`')
    expect(issue?.message).toContain('did you mean `name`?')
    expect(issue).toMatchObject({ line: 2, column: (source.split('\n')[1]?.indexOf('resource.nam') ?? 0) + 1 })
  })

  test('rejects conditions that are never true and look-alike letters', async () => {
    expect(await messages(permit('false'))).toEqual([expect.stringContaining('impossible')])
    // The second letter is Cyrillic.
    expect(await messages(permit('resource.name == "p\u0430y"'))).toEqual([expect.stringContaining('mixed scripts')])
  })

  test('rejects templates, empty policies and missing semicolons', async () => {
    expect(await messages('@id("a") permit (principal == ?principal, action, resource);')).toEqual([
      expect.stringContaining('template'),
    ])
    expect(await messages('// nothing')).toEqual(['The policy does not contain any rules.'])
    expect(await messages('@id("a") permit (principal, action, resource)')).toHaveLength(1)
  })

  test('rejects 200 nested parentheses before they reach Cedar', async () => {
    expect(await messages(permit(`${'('.repeat(200)}true${')'.repeat(200)}`))).toEqual([
      'Expressions can be nested up to 40 levels deep.',
    ])
  })

  // Forms that recurse in Cedar, as long as the scan accepts: Cedar must answer and not trap.
  test.each([
    ['or', Array(limits.conditions).fill('true').join('||')],
    ['sum', `${Array(limits.chain).fill('1').join('+')} == 1`],
    ['chain of members', `context${'.call'.repeat(limits.chain)}`],
    [
      'chain of calls',
      `context.call.now${'.offset(duration("1s"))'.repeat(limits.chain - 2)} > datetime("2020-01-01")`,
    ],
    ['nesting', `${'('.repeat(limits.nesting - 1)}true${')'.repeat(limits.nesting - 1)}`],
    ['sets', `${'['.repeat(limits.nesting - 1)}1${']'.repeat(limits.nesting - 1)} == 1`],
    ['ifs', `${'if true then true else '.repeat(limits.nesting - 1)}true`],
    ['nested chains', `${`(${Array(20).fill('true').join('&&')}&&`.repeat(38)}true${')'.repeat(38)}`],
  ])('does not trap on the longest accepted %s', async (_form, condition) => {
    expect(findExcess(permit(condition))).toBeUndefined()
    for (const message of await messages(permit(condition))) expect(message).not.toContain('could not process')
  })
})

describe('lints', () => {
  test('require a unique name for each rule', async () => {
    expect(await messages(`${head('permit')};`)).toEqual(['Every rule needs a name: @id("…").'])
    expect(await messages(`${permit('true')}${permit('true')}`)).toEqual(['Another rule is already named "a".'])
  })

  test('reserve the names of generated rules', async () => {
    expect(await messages(permit('true', 'manifest.payments/x'))).toHaveLength(1)
    expect(await messages(permit('true', 'manifest.x'))).toHaveLength(1)
  })

  test('reject an obligation on a permit', async () => {
    expect(await messages(`@id("a") @obligation("approval") ${head('permit')};`)).toEqual([
      expect.stringContaining('belongs on a forbid'),
    ])
  })

  test.each([
    ['no unless', `@id("s") @obligation("approval") ${head('forbid')};`],
    ['the token of another rule', soft('', 'context.fulfilled.contains("approval:t")')],
    ['the token of another kind', soft('', 'context.fulfilled.contains("mask:s")')],
    [
      'a second condition in the same unless',
      soft('', 'context.fulfilled.contains("approval:s") || resource.idempotent'),
    ],
    [
      'a when instead',
      `@id("s") @obligation("approval") ${head('forbid')} when { context.fulfilled.contains("approval:s") };`,
    ],
  ])('require that a soft forbid is lifted by exactly its own token: %s', async (_case, source) => {
    expect(await messages(source)).toContainEqual(expect.stringContaining('must end with: unless'))
  })

  test.each([
    ['a permit', permit('context.fulfilled.contains("approval:s")')],
    ['a hard forbid', `@id("a") ${head('forbid')} unless { context.fulfilled.contains("approval:a") };`],
    ['a second clause', soft('').replace(' unless', ' when { context.fulfilled.contains("x") } unless')],
    ['a record around it', permit('{Value: context.fulfilled}.Value.contains("x")')],
    ['an index', permit('context["fulfilled"].isEmpty()')],
    ['a has', permit('context has fulfilled')],
    ['the whole context', permit('(if true then context else context).fulfilled.isEmpty()')],
    ['a comparison with the whole context', permit('context == context')],
  ])('reject any other use of context.fulfilled: %s', async (_case, source) => {
    expect(await messages(source)).toContainEqual(expect.stringContaining('can read context.fulfilled'))
  })

  test('accept the word fulfilled in strings', async () => {
    expect(
      await checkPolicy(tenant, permit('resource.name == "fulfilled" && context.env.name == "context.fulfilled"')),
    ).toEqual([])
  })

  test.each([
    ['an unknown kind', `@id("s") @obligation("dance") ${head('forbid')};`, '@obligation should be one of approval'],
    ['an unknown annotation', permit('true').replace('permit', '@approvalgroup("x") permit'), 'Unknown annotation'],
    [
      'a parameter without its obligation',
      permit('true').replace('permit', '@approval_ttl("PT1H") permit'),
      'belongs on',
    ],
    ['an invalid quorum', soft('@approval_quorum("0")'), '@approval_quorum should be'],
    ['an invalid duration', soft('@approval_ttl("1h")'), '@approval_ttl should be'],
    ['a duration over 30 days', soft('@approval_ttl("P31D")'), '@approval_ttl should be'],
    ['an empty message', soft('@message'), '@message should be'],
  ])('reject %s', async (_case, source, expected) => {
    expect(await messages(source)).toContainEqual(expect.stringContaining(expected))
  })

  test.each([
    ['mask', '@mask_paths("$.note")', '@mask_paths("note")', '@mask_paths should be paths'],
    ['mask', '@mask_classes("pii.email")', '', 'needs @mask_paths'],
    [
      'mask',
      '@mask_paths("$.a") @mask_method("hash")',
      '@mask_paths("$.a") @mask_method("tokenize")',
      '@mask_method should be',
    ],
    ['budget', '@budget_limit("2.50") @budget_unit("calls")', '@budget_unit("calls")', 'needs @budget_limit'],
    [
      'budget',
      '@budget_limit("1") @budget_unit("calls") @budget_scope("tenant")',
      '@budget_limit("-1") @budget_unit("calls")',
      '@budget_limit should be',
    ],
  ])('require the parameters of an obligation of kind %s', async (kind, right, wrong, expected) => {
    const rule = (annotations: string) =>
      `@id("s") @obligation("${kind}") ${annotations} ${head('forbid')} unless { context.fulfilled.contains("${kind}:s") };`
    expect(await checkPolicy(tenant, rule(right))).toEqual([])
    expect(await messages(rule(wrong))).toContainEqual(expect.stringContaining(expected))
  })

  test.each([
    ['all tools', 'action in Countersign::Action::"ToolCall", resource', false],
    ['a tool', 'action == Countersign::Action::"AnyOtherTool", resource', false],
    ['everything', 'action, resource', false],
    [
      'models and tools',
      'action in [Countersign::Action::"ModelCall", Countersign::Action::"ToolCall"], resource',
      false,
    ],
    ['model calls', 'action == Countersign::Action::"ModelCall", resource', true],
    ['a set of only model calls', 'action in [Countersign::Action::"ModelCall"], resource', true],
    ['models', 'action, resource is Countersign::Model', true],
    ['one model', 'action, resource == Countersign::Model::"p/m"', true],
  ])('allow budgets of tokens or money for model calls only: a budget on %s', async (_case, scope, sound) => {
    const rule = (unit: string) =>
      `@id("s") @obligation("budget") @budget_limit("9") @budget_unit("${unit}") forbid (principal, ${scope}) unless { context.fulfilled.contains("budget:s") };`
    expect(await messages(rule('calls'))).toEqual([])
    for (const unit of ['tokens', 'EUR'])
      expect(await messages(rule(unit))).toEqual(
        sound ? [] : [expect.stringContaining('write action == Countersign::Action::"ModelCall"')],
      )
  })

  test('reject a lift in parentheses, which withToken cannot find', async () => {
    expect(await messages(soft('', '(context.fulfilled.contains("approval:s"))'))).toEqual([
      expect.stringContaining('Remove the parentheses'),
    ])
  })
})
