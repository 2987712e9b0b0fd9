import type { Page } from '@playwright/test'
import { clientToken, decideAs, externalId } from './cases.ts'
import { expect, expectAccessible, test } from './fixtures.ts'
import { proposeBinding, proposeRelease, readerManifest, register, releasedAgent } from './own-agent.ts'

const reasonIn = async (page: Page, title: RegExp, label: string) => {
  const dialog = page.getByRole('dialog', { name: title })
  await dialog.getByLabel('Reason').fill('Only a test.')
  await dialog.getByRole('button', { name: label }).click()
  return dialog
}

test('Maria withdraws a binding; an error in an open dialog stays visible after the row has changed', async ({
  signedIn,
  origin,
  troubles,
}) => {
  troubles.expect(/status of 409/)
  const agentId = await register(origin, readerManifest(`e2e-withdrawn-${Date.now()}`))
  await proposeBinding(origin, agentId)
  const second = await proposeRelease(origin, agentId)
  const page = await signedIn('maria')
  await page.goto(`/t/${externalId()}/agents/${agentId}`)
  const bindings = page.getByRole('region', { name: 'Policy bindings' })
  await bindings.getByRole('button', { name: 'Withdraw the binding' }).click()
  const withdrawn = await reasonIn(page, /^Withdraw the binding of version 1 in production\?$/, 'Withdraw the binding')
  await expect(withdrawn).toBeHidden()
  await expect(bindings).toContainText('Withdrawn')
  await expect(bindings.getByRole('button', { name: 'Withdraw the binding' })).toBeHidden()
  await expectAccessible(page)

  // The release is approved while Maria still writes her reason.
  const releases = page.getByRole('region', { name: 'Releases' })
  await releases.getByRole('button', { name: 'Withdraw the release' }).click()
  await page.route('**/releases.withdraw*', async (route) => {
    await decideAs(origin, 'jonas', second, 'approve', 'Only a test.')
    await route.continue()
  })
  const refused = await reasonIn(page, /^Withdraw the release of 1 in production\?$/, 'Withdraw the release')
  await expect(refused.getByRole('alert', { name: 'The release was not withdrawn.' })).toBeVisible()
  // The page behind an open dialog is hidden from assistive technology.
  const behind = page.getByRole('region', { name: 'Releases', includeHidden: true })
  await expect(behind.getByText('Active', { exact: true })).toBeVisible()
  await expect(refused.getByRole('alert', { name: 'The release was not withdrawn.' })).toBeVisible()
  await expectAccessible(page)
})

test('after Omar revokes a binding, the agent’s page shows that its release was approved with other policies', async ({
  signedIn,
  origin,
}) => {
  const agentId = await releasedAgent(origin, readerManifest(`e2e-revoked-${Date.now()}`))
  const page = await signedIn('omar')
  await page.goto(`/t/${externalId()}/agents/${agentId}`)
  const bindings = page.getByRole('region', { name: 'Policy bindings' })
  const releases = page.getByRole('region', { name: 'Releases' })
  await expect(releases.getByText('Active', { exact: true })).toBeVisible()
  await expect(releases).not.toContainText('its policies have changed')
  // The request for the release lists the policies that it will run with.
  await releases.getByRole('link', { name: /^Open the request/ }).click()
  await expect(page.getByRole('region', { name: 'Policies now' })).toContainText(
    'the ones that the release was proposed with',
  )
  await expectAccessible(page)
  await page.goBack()

  await bindings.getByRole('button', { name: 'Revoke the binding' }).click()
  const revoked = await reasonIn(page, /^Revoke the binding of version 1 in production\?$/, 'Revoke the binding')
  await expect(revoked).toBeHidden()
  await expect(bindings).toContainText('Revoked')
  await expect(bindings.getByRole('button', { name: 'Revoke the binding' })).toBeHidden()
  const changed = releases.getByRole('table', { name: 'Policies that changed since 1 in production was proposed' })
  await expect(changed).toContainText('Not bound')
  await expectAccessible(page)

  await releases.getByRole('button', { name: 'Revoke the release' }).click()
  const over = await reasonIn(page, /^Revoke the release of 1 in production\?$/, 'Revoke the release')
  await expect(over).toBeHidden()
  await expect(releases.getByText('Revoked', { exact: true })).toBeVisible()
  await expect(changed).toBeHidden()
})

test('an unregistered agent from telemetry is listed and can be registered from the list', async ({
  signedIn,
  origin,
}) => {
  const name = `e2e-shadow-${Date.now()}`
  const now = BigInt(Date.now()) * 1_000_000n
  const span = {
    traceId: crypto.randomUUID().replaceAll('-', ''),
    spanId: crypto.randomUUID().replaceAll('-', '').slice(16),
    name: 'invoke_agent',
    startTimeUnixNano: `${now}`,
    endTimeUnixNano: `${now + 1_000_000n}`,
    attributes: [{ key: 'gen_ai.agent.name', value: { stringValue: name } }],
  }
  const sent = await fetch(`${origin}/v1/traces`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await clientToken(origin, 'telemetry')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
  })
  expect(sent.status).toBe(200)
  const page = await signedIn('maria')
  await page.goto(`/t/${externalId()}/agents`)
  const unregistered = page.getByRole('region', { name: 'Seen in telemetry, not registered' })
  const link = unregistered.getByRole('link', { name: `Register ${name}` })
  await expect(link).toBeVisible()
  await expectAccessible(page)
  await link.click()
  await expect(page.getByRole('textbox', { name: 'Manifest (YAML)' })).toContainText(name)
  await page.getByRole('button', { name: 'Register the agent' }).click()
  await expect(page.getByText(`${name} is registered as version 1.`)).toBeVisible()
  await page.goto(`/t/${externalId()}/agents`)
  await expect(page.getByRole('table', { name: 'Agents', exact: true })).toContainText(name)
  await expect(link).toBeHidden()
})

test('a policy bound while a release waits is shown next to what its request says of the time before', async ({
  signedIn,
  origin,
}) => {
  const agentId = await register(origin, readerManifest(`e2e-bound-later-${Date.now()}`))
  const approvalId = await proposeRelease(origin, agentId)
  const page = await signedIn('jonas')
  await page.goto(`/t/${externalId()}/approvals/${approvalId}`)
  const effects = page.getByRole('region', { name: 'If you approve' })
  await expect(effects).toContainText('When this was proposed, no policy was enforced on it there.')
  await expect(effects).toContainText('Now, no policy is enforced on it there, so executions cannot start.')

  await decideAs(origin, 'jonas', await proposeBinding(origin, agentId), 'approve', 'Only to be tried out.')
  await expect(effects).toContainText('Enforced on it there now: refund-policy 1.')
  await expect(effects).not.toContainText('cannot start')
  await expect(effects).not.toContainText('This was so')
  await expectAccessible(page)
})
