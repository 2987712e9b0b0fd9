import type { Page } from '@playwright/test'
import { externalId } from './cases.ts'
import { editor, write } from './editor.ts'
import { expect, expectAccessible, test } from './fixtures.ts'
import { hold } from './gate.ts'
import { readerManifest, register, releasedAgent, startAs } from './own-agent.ts'

test('Maria registers an agent: mistakes are marked as she types, and the page lists what the agent still needs', async ({
  signedIn,
}) => {
  const name = `e2e-agent-${Date.now()}`
  const page = await signedIn('maria')
  await page.goto(`/t/${externalId()}/agents`)
  await expect(page.getByRole('table', { name: 'Agents', exact: true })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Register an agent' }).first().click()
  const manifest = await editor(page, 'Manifest (YAML)')
  await write(manifest, `metadata:\n  name: ${name}\n bad: [1, 2\n`)
  const problems = page.getByRole('list', { name: 'Problems in Manifest (YAML)' })
  const first = problems.getByRole('button', { name: /^Line \d+, column \d+: / })
  await expect(first.first()).toBeVisible()
  await expect(manifest).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByText('Fix the marked problems first.')).toBeVisible()
  await expectAccessible(page)
  await first.first().click()
  await expect(manifest).toBeFocused()

  // Two waits that no one could answer are reported, each at its line.
  await write(
    manifest,
    `metadata: { name: ${name} }\nspec:\n  riski: high\n  runtime:\n    steps:\n      - { id: a, wait: { input: one } }\n      - { id: b, wait: { input: two } }\n`,
  )
  await expect(problems.getByRole('button')).toHaveText([/^Line 6/, /^Line 7/])
  await write(manifest, `metadata: { name: ${name} }\nspec:\n  riski: high\n`)
  await expect(problems.getByRole('button')).toHaveText([
    /^Line 3, column \d+: runtime is required\.$/,
    /^Line 3, column \d+: Unknown member/,
  ])
  await expect(page.getByText(/^\d+ warnings?$/)).toBeVisible()
  await expect(manifest).toHaveAttribute('aria-invalid', 'false')

  await write(manifest, readerManifest(name))
  await page.getByRole('button', { name: 'Register the agent' }).click()
  await expect(page.getByText(`${name} is registered as version 1.`)).toBeVisible()
  await expect(page.getByRole('region', { name: 'Before it can run' })).toContainText('policy binding')
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Open the agent' }).click()

  await expect(page.getByRole('heading', { level: 1 })).toHaveText(name)
  await expect(page.getByRole('region', { name: 'Releases' })).toContainText('No releases.')
  await expect(page.getByRole('region', { name: 'Addresses for MCP clients' })).toContainText(
    `/v1/mcp/t/${externalId()}/${name}/payments`,
  )
  await page.getByRole('button', { name: 'Propose a binding' }).click()
  const dialog = page.getByRole('dialog', { name: 'Propose a binding' })
  await dialog.getByLabel('Policy').selectOption({ index: 1 })
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Propose a binding' }).click()
  await expect(dialog).toContainText('The change approvers decide on it.')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  const bindings = page.getByRole('region', { name: 'Policy bindings' })
  await expect(bindings.getByText('Proposed', { exact: true })).toBeVisible()
  await expectAccessible(page)
})

test('a policy shows its source and where it is bound', async ({ signedIn }) => {
  const page = await signedIn('maria')
  await page.goto(`/t/${externalId()}/policies`)
  await expect(page.getByRole('table', { name: 'Policies' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'refund-policy' }).click()
  await expect(page.getByRole('region', { name: 'Rules', exact: true })).toContainText('refund-needs-approval')
  await expect(page.getByRole('region', { name: 'Bindings' })).toContainText('refund-assistant')
  await expectAccessible(page)
})

test('comparing two versions lists the differences that matter for governance', async ({ signedIn, origin }) => {
  const name = `e2e-versions-${Date.now()}`
  const first = await register(origin, readerManifest(name))
  const more = `allow: [lookup_order, issue_refund]\n      requireApproval: [issue_refund]\n  limits: { maxToolCalls: 3 }`
  await register(origin, readerManifest(name).replace('allow: [lookup_order]', more))
  const page = await signedIn('vera')
  await page.goto(`/t/${externalId()}/agents/${first}`)
  await page.getByRole('link', { name: 'Compare 2 with 1' }).click()
  await expect(page).toHaveURL(/\/compare\?from=1&to=2$/)
  await expect(page.getByRole('table', { name: 'Allowed tools' })).toContainText('payments/issue_refund')
  await expect(page.getByRole('table', { name: 'Calls that require approval' })).toContainText('Added')
  await expect(page.getByRole('table', { name: 'Budgets and limits' })).toContainText('maxToolCalls')
  await expectAccessible(page)
  await page.getByLabel('From version').selectOption('2')
  await expect(page.getByText('Both are the same version.')).toBeVisible()
  await expect(page).toHaveURL(/from=2&to=2$/)
  await expectAccessible(page)
})

test('Omar suspends a running agent, sees the stop requested and confirmed, resumes it, and retires it', async ({
  signedIn,
  origin,
}) => {
  const agentId = await releasedAgent(origin, readerManifest(`e2e-stopped-${Date.now()}`))
  const page = await signedIn('omar')
  const gate = hold('lookup_order')
  try {
    await startAs(origin, agentId, { orderId: 'A-1001' })
    await page.goto(`/t/${externalId()}/agents/${agentId}`)
    const kill = page.getByRole('region', { name: 'Kill switch' })
    await expect(kill.getByRole('button', { name: 'Suspend the agent' })).toBeInViewport()
    await expect(kill.getByRole('button', { name: 'Resume the agent' })).toHaveCount(0)
    await expect(kill.getByRole('button', { name: 'Retire the agent' })).toHaveAttribute('aria-disabled', 'true')
    await expect(kill).toContainText('Only an agent that is suspended can be retired; this one is active.')
    await expectAccessible(page)
    // The palette has the kill switch, too.
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('suspend')
    await page.getByRole('option', { name: 'Suspend the agent' }).click()
    await page
      .getByRole('dialog', { name: /^Suspend / })
      .getByRole('button', { name: 'Keep the current state' })
      .click()
    await act(page, 'Suspend the agent', /^Suspend /, 'The agent repeats the same calls.')
    await expect(kill).toContainText('The agent is suspended')
    const stops = kill.getByRole('table', { name: 'Executions with a stop request' })
    await expect(stops).toContainText('Confirmed', { timeout: 60_000 })
    await expect(stops).toContainText('Canceled')
    await expectAccessible(page)
  } finally {
    gate.open()
  }
  await act(page, 'Resume the agent', /^Resume /, 'The cause is fixed.')
  await expect(page.getByRole('region', { name: 'Kill switch' })).toContainText('The agent can run')
  await act(page, 'Suspend the agent', /^Suspend /, 'To be retired.')
  await act(page, 'Retire the agent', /permanently\?$/, 'Replaced.')
  await expect(page.getByRole('region', { name: 'Kill switch' })).toContainText(
    'The agent is retired and never runs again.',
  )
  await expectAccessible(page)
})

/** Fills in and submits the dialog of an action, and waits until it closes after the response. */
async function act(page: Page, label: string, title: RegExp, reason: string): Promise<void> {
  await page.getByRole('button', { name: label }).click()
  const dialog = page.getByRole('dialog', { name: title })
  await dialog.getByLabel('Reason').fill(reason)
  await dialog.getByRole('button', { name: label }).click()
  await expect(dialog).toBeHidden()
}
