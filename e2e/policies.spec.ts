import { readFileSync } from 'node:fs'
import { call, clientToken, decideAs, externalId, personToken, waitingRefund } from './cases.ts'
import { editor, write } from './editor.ts'
import { expectEveryView } from './every-view.ts'
import { expect, expectAccessible, test } from './fixtures.ts'

/** Returns the policy of the demo, which requires approval for every refund. */
async function refundPolicy(origin: string): Promise<{ id: string; source: string }> {
  const token = await personToken(origin, 'maria')
  const { items } = await call<{ items: { id: string; name: string }[] }>(origin, token, 'query', 'policies.list', {
    limit: 200,
  })
  const id = items.find(({ name }) => name === 'refund-policy')?.id ?? ''
  return { id, source: readFileSync(new URL('../server/demo/refund-policy.cedar', import.meta.url), 'utf8') }
}

test('Maria writes a policy: mistakes are marked as she types, the keyboard can leave the editor, and the text is stored as a draft', async ({
  signedIn,
  troubles,
}) => {
  troubles.expect(/status of 409/)
  const name = `e2e-policy-${Date.now()}`
  const page = await signedIn('maria')
  await page.goto(`/t/${externalId()}/policies`)
  await page.getByRole('link', { name: 'Write a policy' }).click()
  await expect(page).toHaveTitle(/^(\(\d+\) )?Write a policy · Countersign$/)
  const text = await editor(page, 'Policy (Cedar)')
  // The initial text is valid, so the only missing part is the name.
  await expect(page.getByText('No problems found')).toBeVisible()
  await expect(page.getByText('Enter the name of the policy.')).toBeVisible()
  await page.getByLabel('Name').fill('Not A Name')
  await expect(
    page.getByText('Use lower-case letters, digits and hyphens. Start with a letter or digit.').first(),
  ).toBeVisible()
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Purpose').fill('Only a test.')
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
  // Tab indents the text; after Escape it leaves the editor.
  await page.keyboard.press('Tab')
  await expect(text).toBeFocused()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await expect(text).not.toBeFocused()

  const source = '@id("nothing")\n@message("Nothing.")\nforbid (principal, action, resource);'
  await write(text, source)
  await page.getByRole('button', { name: 'Store the policy' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(name)
  const rules = page.getByRole('region', { name: 'Rules', exact: true })
  await expect(rules).toContainText('It applies to all calls. The call is denied. No approval lifts this.')
  await expect(rules).toContainText('@id("nothing")')
  await expect(page.getByRole('button', { name: 'Publish version 1' })).toBeVisible()
  await expectAccessible(page)

  // The name is now in use.
  await page.goto(`/t/${externalId()}/policies/new`)
  await editor(page, 'Policy (Cedar)')
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Store the policy' }).click()
  await expect(page.getByText(`A policy named ${name} already exists. Choose another name.`).first()).toBeVisible()
})

test('Maria writes a draft: mistakes are marked at their lines, and the draft is simulated, published and proposed', async ({
  signedIn,
  origin,
}) => {
  // A recorded decision for the simulation to recompute.
  await waitingRefund(origin)
  const { id, source } = await refundPolicy(origin)
  const page = await signedIn('maria')
  await page.goto(`/t/${externalId()}/policies/${id}?version=1`)
  await page.getByRole('link', { name: 'Edit version 1 as a new draft' }).click()
  const text = await editor(page, 'Policy (Cedar)')
  await expect(text).toContainText(source.split('\n')[0] ?? '')
  await expect(page.getByText('The text is identical to version 1.')).toBeVisible()
  await expectAccessible(page)
  await write(text, 'permit (principal, action, resource)\nwhen { principal.nonsense == 1 ;')
  await expect(page.getByRole('button', { name: /^Line \d+, column \d+: / }).first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Store as a draft' })).toHaveAttribute('aria-disabled', 'true')
  await expectAccessible(page)

  // A draft that denies a call which was allowed. The timestamp makes its text unique.
  const stricter = `${source}\n// ${Date.now()}\n@id("no-lookup")\n@message("Looking up orders is not allowed.")\nforbid (principal, action in Countersign::Action::"ToolCall", resource == Countersign::Tool::"payments/lookup_order");\n`
  await write(text, stricter)
  await page.getByRole('button', { name: 'Store as a draft' }).click()
  await expect(page).toHaveURL(/policies\/[0-9a-f-]+\?version=\d+$/)
  const version = new URL(page.url()).searchParams.get('version') ?? ''
  await page.getByText(/^\d+ lines of Cedar$/).click()
  await expect(page.getByRole('region', { name: `Source of version ${version}` })).toBeVisible()
  const differences = page.getByRole('region', { name: 'Differences between versions' })
  await expect(differences).toContainText('Added: @id("no-lookup")')
  await expect(differences).toContainText(/From version \d+ to version \d+: \d+ lines? added, \d+ lines? removed\./)
  await expect(page.getByRole('button', { name: `Propose to bind version ${version}` })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
  await expect(page.getByText('This version is a draft. Publish it first.')).toBeVisible()
  await expectAccessible(page)

  const simulation = page.getByRole('region', { name: `Simulate version ${version}` })
  await simulation.getByRole('button', { name: `Simulate version ${version}` }).click()
  await expect(simulation).toContainText(new RegExp(`Version ${version} changes \\d+ of \\d+ decisions`), {
    timeout: 30_000,
  })
  await expect(simulation.getByRole('table', { name: 'Changes by kind' })).toContainText('Allowed → Denied')
  const changed = simulation.getByRole('table', { name: 'Decisions that change' })
  await expect(changed).toContainText('payments/lookup_order')
  await expect(changed).toContainText('Looking up orders is not allowed.')
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
  await expect(page.getByRole('region', { name: 'Bindings' })).toContainText('Shadow: only recorded')
})

test('Maria starts from a policy of the gallery, and sees what her text decides as she changes it', async ({
  signedIn,
}) => {
  const page = await signedIn('maria')
  await page.goto(`/t/${externalId()}/policies/new`)
  const gallery = page.getByRole('navigation', { name: 'Policies to start from' })
  await expect(gallery.getByRole('link')).toHaveCount(7)
  await gallery.getByRole('link', { name: /^Refunds/ }).click()
  await expect(page).toHaveURL(/start=refunds$/)
  const decided = page.getByRole('table', { name: 'What this text decides about examples' }).getByRole('row')
  await expect(decided.filter({ hasText: 'A refund of €19.90' })).toContainText('Allowed')
  await expect(decided.filter({ hasText: 'A refund of €420.00' })).toContainText('Approval by 1 of refund-approvers')
  await expect(decided.filter({ hasText: 'A refund of €12,000.00' })).toContainText('Denied')
  const words = page.getByRole('region', { name: 'In words' })
  await expect(words).toContainText(
    'It applies to calls of payments/issue_refund, when the argument amount is greater than 5000.00. The call is denied.',
  )
  await expectEveryView(page, 'policies-gallery')

  // The names of the installation are filled in, and the text follows.
  await page.getByLabel('Approver group').fill('owners')
  await expect(decided.filter({ hasText: 'A refund of €420.00' })).toContainText('Approval by 1 of owners')
  const text = await editor(page, 'Policy (Cedar)')
  await expect(text).toContainText('@approval_group("owners")')
  const scope = 'principal, action == Countersign::Action::"payments/issue_refund", resource'
  await write(text, `@id("all") @title("All of them") permit (${scope});`)
  await expect(decided.filter({ hasText: 'A refund of €12,000.00' })).toContainText('Allowed')
  await expect(page.getByText('You changed the text. Change this name there.').first()).toBeVisible()
  await expect(page.getByLabel('Approver group')).toHaveAttribute('readonly', '')
  await write(text, 'permit (principal')
  await expect(page.getByText('Fix the marked problems to see what the text decides.')).toBeVisible()
})

test('the recent matches of a policy link to their executions', async ({ signedIn, origin }) => {
  const { executionId, approvalId } = await waitingRefund(origin)
  await decideAs(origin, 'jonas', approvalId, 'reject', 'Only a test.')
  const { id } = await refundPolicy(origin)
  const page = await signedIn('jonas')
  await page.goto(`/t/${externalId()}/policies/${id}?version=1`)
  const matches = page.getByRole('table', { name: 'Recent matches' })
  await expect(matches).toContainText('refund-needs-approval')
  await expect(matches.locator(`a[href$="${executionId}"]`).first()).toBeVisible()
  const rules = page.getByRole('region', { name: 'Rules', exact: true })
  await expect(rules.getByRole('listitem').filter({ hasText: 'Refunds are decided by a person' })).toContainText(
    /It applies to calls of payments\/issue_refund\. The call waits for an approval by one person of refund-approvers, for up to 7 d\..*In the last day: \d+ needed an approval\. Reaches \d+ agents?\./,
  )
  await expect(page.getByRole('table', { name: 'Agents that the rules reach' })).toContainText('Refund assistant')
  await expectEveryView(page, 'policy')
  // An approver can read the policy, and is shown who can write policies.
  await expect(page.getByRole('button', { name: /^Simulate version/ })).toHaveAttribute('aria-disabled', 'true')
  await expect(page.getByText('Only a developer can do this.').first()).toBeVisible()
  await expectAccessible(page)
  await page.goto(`/t/${externalId()}/policies/${id}/edit`)
  await expect(page.getByText('You don’t have permission to write policies.')).toBeVisible()
  await expectAccessible(page)
})

test('the page of a policy shows the use of its budgets by agent', async ({ signedIn, origin }) => {
  const { policyId, name, spend } = await budgetedAgent(origin)
  expect([await spend(), await spend(), await spend()]).toEqual(['allow', 'allow', 'deny'])
  const page = await signedIn('jonas')
  await page.goto(`/t/${externalId()}/policies/${policyId}`)
  const budgets = page.getByRole('table', { name: 'Budgets' })
  await expect(budgets.getByRole('row')).toHaveCount(2)
  await expect(budgets).toContainText('lookups-a-month')
  await expect(budgets.getByRole('link', { name })).toBeVisible()
  await expect(budgets).toContainText('2 of 2 calls (used up)')
  await expect(budgets).toContainText('including 2 reserved for calls in progress')
  const matches = page.getByRole('table', { name: 'Recent matches' })
  await expect(matches).toContainText('Denied')
  await expectAccessible(page)
})

/** Registers an external agent that may look up two orders in thirty days. */
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
