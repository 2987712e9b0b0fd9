import { readFileSync } from 'node:fs'
import { call, clientToken, decideAs, externalId, personToken, waitingRefund } from './cases.ts'
import { editor, write } from './editor.ts'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'

/** The demo's policy, under which every refund is decided by a person. */
async function refundPolicy(origin: string): Promise<{ id: string; source: string }> {
  const token = await personToken(origin, 'maria')
  const { items } = await call<{ items: { id: string; name: string }[] }>(origin, token, 'query', 'policies.list', {
    limit: 200,
  })
  const id = items.find(({ name }) => name === 'refund-policy')?.id ?? ''
  return { id, source: readFileSync(new URL('../server/demo/refund-policy.cedar', import.meta.url), 'utf8') }
}

test('maria writes a policy: mistakes are marked as she types, the keyboard can leave, and it becomes a draft', async ({
  page,
  troubles,
}) => {
  troubles.expect(/status of 409/)
  const name = `e2e-policy-${Date.now()}`
  await signIn(page, 'maria')
  await page.goto(`/t/${externalId()}/policies`)
  await page.getByRole('link', { name: 'Write a policy' }).click()
  await expect(page).toHaveTitle('Write a policy · Countersign')
  const text = await editor(page, 'Policy (Cedar)')
  // What it begins with is sound, and named at the end of the way.
  await expect(page.getByText('No problems found')).toBeVisible()
  await expect(page.getByText('Name the policy.')).toBeVisible()
  await page.getByLabel('Name').fill('Not A Name')
  await expect(page.getByText('A name is of lower-case letters, digits and hyphens.').first()).toBeVisible()
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('What it is for').fill('Only to be tried out.')
  await expectAccessible(page)

  await write(
    text,
    '@id("one")\npermit (principal, action, resource)\nwhen { principal.nonsense == 1 };\n\npermit (principal;',
  )
  const problems = page.getByRole('list', { name: 'Problems in Policy (Cedar)' }).getByRole('button')
  await expect(problems.first()).toHaveText(/^Line \d+, column \d+: /)
  await expect(page.locator('.cm-lint-marker-error').first()).toBeVisible()
  await expect(text).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByRole('button', { name: 'Store the policy' })).toHaveAttribute('aria-disabled', 'true')
  await expectAccessible(page)
  await problems.last().click()
  await expect(text).toBeFocused()
  // Tab writes; after Escape it leaves.
  await page.keyboard.press('Tab')
  await expect(text).toBeFocused()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await expect(text).not.toBeFocused()

  const source = '@id("nothing")\n@message("Nothing.")\nforbid (principal, action, resource);'
  await write(text, source)
  await page.getByRole('button', { name: 'Store the policy' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(name)
  await expect(page.getByRole('region', { name: 'Source of version 1' })).toContainText('@id("nothing")')
  await expect(page.getByRole('button', { name: 'Publish version 1' })).toBeVisible()
  await expectAccessible(page)

  // The name is taken now.
  await page.goto(`/t/${externalId()}/policies/new`)
  await editor(page, 'Policy (Cedar)')
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Store the policy' }).click()
  await expect(page.getByText(`There is already a policy named ${name}.`).first()).toBeVisible()
})

test('maria writes a draft: mistakes are marked at their lines, then it is simulated, published and proposed', async ({
  page,
  origin,
}) => {
  // A recorded decision, so that there is something to simulate.
  await waitingRefund(origin)
  const { id, source } = await refundPolicy(origin)
  await signIn(page, 'maria')
  await page.goto(`/t/${externalId()}/policies/${id}?version=1`)
  await page.getByRole('link', { name: 'Edit version 1 as a new draft' }).click()
  const text = await editor(page, 'Policy (Cedar)')
  await expect(text).toContainText(source.split('\n')[0] ?? '')
  await expect(page.getByText('It is the same as version 1.')).toBeVisible()
  await expectAccessible(page)
  await write(text, 'permit (principal, action, resource)\nwhen { principal.nonsense == 1 ;')
  await expect(page.getByRole('button', { name: /^Line \d+, column \d+: / }).first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Store as a draft' })).toHaveAttribute('aria-disabled', 'true')
  await expectAccessible(page)

  // A draft that stops what was allowed, and not the same text twice.
  const stricter = `${source}\n// ${Date.now()}\n@id("no-lookup")\n@message("Nobody looks up orders.")\nforbid (principal, action in Countersign::Action::"ToolCall", resource == Countersign::Tool::"payments/lookup_order");\n`
  await write(text, stricter)
  await page.getByRole('button', { name: 'Store as a draft' }).click()
  await expect(page).toHaveURL(/policies\/[0-9a-f-]+\?version=\d+$/)
  const version = new URL(page.url()).searchParams.get('version') ?? ''
  await expect(page.getByRole('region', { name: `Source of version ${version}` })).toBeVisible()
  await expect(page.getByRole('button', { name: `Propose to bind version ${version}` })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
  await expect(page.getByText('It is a draft: publish it first.')).toBeVisible()
  await expectAccessible(page)

  const simulation = page.getByRole('region', { name: `Simulate version ${version}` })
  await simulation.getByRole('button', { name: `Simulate version ${version}` }).click()
  await expect(simulation).toContainText(new RegExp(`Version ${version} changes \\d+ of \\d+ decisions`), {
    timeout: 30_000,
  })
  await expect(simulation.getByRole('table', { name: 'How they change' })).toContainText('Allowed → Denied')
  const changed = simulation.getByRole('table', { name: 'Decisions that change' })
  await expect(changed).toContainText('payments/lookup_order')
  await expect(changed).toContainText('Nobody looks up orders.')
  await expectAccessible(page)

  await page.getByRole('button', { name: `Publish version ${version}` }).click()
  const publish = page.getByRole('dialog', { name: `Publish version ${version}?` })
  await expectAccessible(page)
  await publish.getByRole('button', { name: `Publish version ${version}` }).click()
  await expect(publish).toBeHidden()
  await page.getByRole('button', { name: `Propose to bind version ${version}` }).click()
  const propose = page.getByRole('dialog', { name: `Propose to bind version ${version}` })
  await propose.getByLabel('Agent').selectOption({ label: 'Refund assistant (refund-assistant)' })
  await propose.getByLabel('Environment').fill(`e2e-${Date.now()}`)
  await propose.getByRole('radio', { name: 'Shadow' }).check()
  await expectAccessible(page)
  await propose.getByRole('button', { name: `Propose to bind version ${version}` }).click()
  await expect(propose).toContainText('The change approvers decide on it.')
  await propose.getByRole('button', { name: 'Close' }).last().click()
  await expect(page.getByRole('region', { name: 'Where it is bound' })).toContainText('Shadow: only recorded')
})

test('the decisions that the policy’s rules determined lead to their executions', async ({ page, origin }) => {
  const { executionId, approvalId } = await waitingRefund(origin)
  await decideAs(origin, 'jonas', approvalId, 'reject', 'Only to be seen.')
  const { id } = await refundPolicy(origin)
  await signIn(page, 'jonas')
  await page.goto(`/t/${externalId()}/policies/${id}`)
  const matches = page.getByRole('table', { name: 'Recent matches' })
  await expect(matches).toContainText('refund-needs-approval')
  await expect(matches.locator(`a[href$="${executionId}"]`).first()).toBeVisible()
  // An approver may look, and learns who may write.
  await expect(page.getByRole('button', { name: /^Simulate version/ })).toHaveAttribute('aria-disabled', 'true')
  await expect(page.getByText(/Needs the permission policy:author/).first()).toBeVisible()
  await expectAccessible(page)
  await page.goto(`/t/${externalId()}/policies/${id}/edit`)
  await expect(page.getByText('You don’t have permission to write policies.')).toBeVisible()
  await expectAccessible(page)
})

test('a policy’s page says how much of its budgets is used, by whom, and until when', async ({ page, origin }) => {
  const { policyId, name, spend } = await budgetedAgent(origin)
  expect([await spend(), await spend(), await spend()]).toEqual(['allow', 'allow', 'deny'])
  await signIn(page, 'jonas')
  await page.goto(`/t/${externalId()}/policies/${policyId}`)
  const budgets = page.getByRole('table', { name: 'Budgets' })
  await expect(budgets.getByRole('row')).toHaveCount(2)
  await expect(budgets).toContainText('lookups-a-month')
  await expect(budgets.getByRole('link', { name })).toBeVisible()
  await expect(budgets).toContainText('2 of 2 calls (used up)')
  await expect(budgets).toContainText('2 of it reserved, not charged yet')
  const matches = page.getByRole('table', { name: 'Recent matches' })
  await expect(matches).toContainText('Denied')
  await expectAccessible(page)
})

/** An external agent and may look up two orders in thirty days. */
async function budgetedAgent(origin: string) {
  const ci = await clientToken(origin, 'ci-pipeline')
  const maria = await personToken(origin, 'maria')
  const post = async <Data>(path: string, body: unknown): Promise<Data> => {
    const headers = { authorization: `Bearer ${ci}`, 'content-type': 'application/json' }
    const response = await fetch(`${origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(response.ok, path).toBe(true)
    return await response.json()
  }
  const name = `spends-${Date.now()}`
  const manifest = {
    metadata: { name, version: '1.0.0' },
    spec: {
      risk: { tier: 'low' },
      runtime: { observe: {} },
      tools: [{ mcp: { server: 'payments' }, allow: ['lookup_order'] }],
    },
  }
  const { agentId } = await call<{ agentId: string }>(origin, ci, 'mutation', 'agents.create', {
    yaml: JSON.stringify(manifest),
  })
  const { id: policyId } = await post<{ id: string }>('/v1/policies', { name })
  const source = `@id("all")
permit (principal, action in Countersign::Action::"ToolCall", resource);

@id("lookups-a-month")
@obligation("budget") @budget_limit("2") @budget_unit("calls") @budget_window("P30D")
forbid (principal, action == Countersign::Action::"payments/lookup_order", resource)
unless { context.fulfilled.contains("budget:lookups-a-month") };
`
  await post(`/v1/policies/${policyId}/versions`, { source })
  await post(`/v1/policies/${policyId}/versions/1/publish`, {})
  const propose = async (procedure: string, input: object) => {
    const { approvalId } = await call<{ approvalId: string }>(origin, ci, 'mutation', procedure, input)
    await decideAs(origin, 'jonas', approvalId, 'approve', 'For the test.')
  }
  const where = { agentId, environment: 'production' }
  await propose('policyBindings.propose', { ...where, policyId, policyVersion: 1, mode: 'enforce' })
  await propose('releases.propose', { ...where, version: '1.0.0' })
  const lookup = { ...where, resource: 'payments/lookup_order', arguments: { id: 'A-1001' } }
  const spend = async () =>
    (await call<{ effect: string }>(origin, maria, 'mutation', 'policies.evaluate', lookup)).effect
  return { policyId, name, spend }
}
