import { expect, expectAccessible, signIn, test } from './fixtures.ts'

test('maria registers an agent: the line with the mistake is marked, then it says what is still missing', async ({
  page,
  troubles,
}) => {
  troubles.expect(/status of 400/)
  const name = `e2e-agent-${Date.now()}`
  const { externalId } = await signIn(page, 'maria')
  await page.goto(`/t/${externalId}/agents`)
  await expect(page.getByRole('table', { name: 'Agents' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Register an agent' }).click()
  const manifest = page.getByRole('textbox', { name: 'Manifest (YAML)' })
  await manifest.fill(`metadata:\n  name: ${name}\n bad: [1, 2\n`)
  await page.getByRole('button', { name: 'Register the agent' }).click()
  await expect(page.getByText(/^Line \d+, column \d+: /)).toBeVisible()
  await expect(manifest).toBeFocused()
  await expect(manifest).toHaveAttribute('aria-invalid', 'true')
  await expectAccessible(page)

  await manifest.fill(manifestOf(name))
  await page.getByRole('button', { name: 'Register the agent' }).click()
  await expect(page.getByText(`${name} is registered as version 1.`)).toBeVisible()
  await expect(page.getByRole('region', { name: 'Before it can run' })).toContainText('policy binding')
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Open the agent' }).click()

  await expect(page.getByRole('heading', { level: 1 })).toHaveText(name)
  await expect(page.getByRole('region', { name: 'Releases' })).toContainText('No version was released.')
  await page.getByRole('button', { name: 'Propose a binding' }).click()
  const dialog = page.getByRole('dialog', { name: 'Propose a binding' })
  await dialog.getByLabel('Policy').selectOption({ index: 1 })
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Propose a binding' }).click()
  await expect(dialog).toContainText('that the change approvers decide')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(page.getByRole('region', { name: 'Policy bindings' })).toContainText('Proposed')
  await expectAccessible(page)
})

test('a policy shows its source and where it is bound', async ({ page }) => {
  const { externalId } = await signIn(page, 'maria')
  await page.goto(`/t/${externalId}/policies`)
  await expect(page.getByRole('table', { name: 'Policies' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'refund-policy' }).click()
  await expect(page.getByRole('region', { name: 'Source of version 1' })).toContainText('refund-needs-approval')
  await expect(page.getByRole('region', { name: 'Where it is bound' })).toContainText('refund-assistant')
  await expectAccessible(page)
})

const manifestOf = (name: string): string => `metadata:
  name: ${name}
spec:
  runtime:
    steps:
      - { id: order, tool: { server: payments, name: lookup_order, arguments: { id: "\${input.orderId}" } } }
  tools:
    - mcp: { server: payments }
      allow: [lookup_order]
`
