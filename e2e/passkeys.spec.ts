import type { Page } from '@playwright/test'
import { call, externalId, personToken } from './cases.ts'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'
import { codeIsLost, loseCode } from './lost-code.ts'

// The tenant requires a passkey for high risk, and the approver has a device that creates passkeys.

const globex = externalId('globex')

/** Adds an authenticator that Chromium simulates. */
async function withDevice(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

type Settings = { revision: number; settings: { passkeyForTiers: string[] } }
type Members = { items: { id: string; username: string; roles: string[]; revision: number }[] }

/** Requests a high-risk change, a grant of approver, in a tenant that requires a passkey for it. Returns the approval's id. */
async function guardedRequest(origin: string, name: string): Promise<string> {
  const tom = await personToken(origin, 'tom', 'globex')
  const { revision, settings } = await call<Settings>(origin, tom, 'query', 'tenants.getSettings', {})
  if (!settings.passkeyForTiers.includes('high'))
    await call(origin, tom, 'mutation', 'tenants.updateSettings', {
      passkeyForTiers: ['high'],
      expectedRevision: revision,
    })
  const { items } = await call<Members>(origin, tom, 'query', 'members.list', { limit: 200 })
  const member = items.find(({ username }) => username === name)
  if (member === undefined) throw new Error(`The demo lacks ${name} in globex.`)
  const { change } = await call<{ change: { approvalId: string } }>(origin, tom, 'mutation', 'members.setRoles', {
    id: member.id,
    roles: [...member.roles, 'approver'],
    expectedRevision: member.revision,
    reason: 'Covers for Anna.',
  })
  return change.approvalId
}

test('approving requires the passkey that was added in the settings, and the record shows it', async ({
  page,
  origin,
  troubles,
}) => {
  const approvalId = await guardedRequest(origin, 'omar')
  await withDevice(page)
  await signIn(page, 'jonas', 'globex')
  await page.goto(`/t/${globex}/approvals/${approvalId}`)
  // The region is renamed after the decision.
  const rail = page.getByRole('region', { name: /^Decided?$/ })
  await rail.getByRole('radio', { name: /^Approve/ }).check()
  await rail.getByRole('textbox', { name: /Reason/ }).fill('Agreed with Anna.')
  await rail.getByRole('checkbox').check()
  const approve = rail.getByRole('button', { name: /^Approve/ })
  await expect(approve).toHaveAccessibleDescription(/requires a passkey/)
  await expectAccessible(page)

  await rail.getByRole('link', { name: 'Add one in your settings' }).click()
  await expect(page.getByText('No passkeys.')).toBeVisible()
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Laptop')
  await expectAccessible(page)
  troubles.expect(codeIsLost)
  const code = await loseCode(page)
  await dialog.getByRole('button', { name: 'Add the passkey' }).click()
  await expect(dialog.getByRole('alert')).toContainText('Your device was not asked for a passkey')
  await code.reach()
  await dialog.getByRole('button', { name: 'Add the passkey' }).click()
  const passkeys = page.getByRole('table', { name: 'Passkeys' })
  await expect(passkeys.getByRole('row', { name: /Laptop/ })).toContainText('Never')
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Laptop, again')
  await dialog.getByRole('button', { name: 'Add the passkey' }).click()
  await expect(dialog.getByRole('alert')).toContainText('You already have a passkey for this site on this device.')
  await expect(dialog.getByRole('alert')).toContainText('Add the passkey on another device')
  await expect(dialog.getByRole('alert')).not.toContainText('Confirm again')
  await page.keyboard.press('Escape')

  await page.goBack()
  await expect(rail.getByRole('textbox', { name: /Reason/ })).toHaveValue('Agreed with Anna.')
  await expect(rail).toContainText('Your device will ask for your passkey')
  await rail.getByRole('checkbox').check()
  await approve.click()
  await expect(rail).toContainText('Recorded: approved.')

  await page.goto(`/t/${globex}/settings/me`)
  await expect(passkeys.getByRole('row', { name: /Laptop/ })).not.toContainText('Never')
  await page.getByRole('button', { name: 'Remove the passkey Laptop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the passkey' }).click()
  await expect(page.getByText('No passkeys.')).toBeVisible()
})

test('a device without a passkey is reported, and nothing is recorded', async ({ page, origin }) => {
  const approvalId = await guardedRequest(origin, 'vera')
  await withDevice(page)
  await signIn(page, 'anna', 'globex')
  await page.goto(`/t/${globex}/settings/me`)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Phone')
  await dialog.getByRole('button', { name: 'Add the passkey' }).click()
  await expect(page.getByRole('table', { name: 'Passkeys' }).getByRole('row', { name: /Phone/ })).toBeVisible()

  // Anna's second browser, whose device does not have the passkey.
  const other = await page.context().browser()?.newContext()
  if (other === undefined) throw new Error('The context lacks a browser.')
  const elsewhere = await other.newPage()
  await withDevice(elsewhere)
  await signIn(elsewhere, 'anna', 'globex')
  await elsewhere.goto(`/t/${globex}/approvals/${approvalId}`)
  const rail = elsewhere.getByRole('region', { name: 'Decide' })
  await rail.getByRole('radio', { name: /^Approve/ }).check()
  await rail.getByRole('textbox', { name: /Reason/ }).fill('Agreed.')
  await rail.getByRole('checkbox').check()
  await rail.getByRole('button', { name: /^Approve/ }).click()
  await expect(rail).toContainText('Your device did not provide a passkey')
  await expect(rail).toContainText('Your decision was not recorded.')
  await other.close()
  const jonas = await personToken(origin, 'jonas', 'globex')
  expect(await call(origin, jonas, 'query', 'approvals.get', { approvalId })).toMatchObject({ status: 'pending' })
})
