import type { Page } from '@playwright/test'
import { call, externalId, home, personToken } from './cases.ts'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'

// API keys, service accounts, members, groups and settings, for an administrator and for other members.

const at = (page: string) => `${home()}/access/${page}`
const unique = (name: string) => `${name}-${Date.now().toString(36)}`
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })
const manage = async (page: Page, name: string) => {
  await page.getByRole('button', { name: `Manage ${name}` }).click()
  return dialog(page, name)
}
/** The unmasked value that a dialog shows. */
const shownValue = async (page: Page) => (await page.getByRole('dialog').locator('code.select-all').innerText()).trim()

/** Moves through the history as the back button does. Resolves after the browser has moved. */
const traverse = (page: Page, steps: number) =>
  page.evaluate(
    (count) =>
      new Promise<void>((done) => {
        window.navigation.addEventListener('currententrychange', () => setTimeout(done), { once: true })
        history.go(count)
      }),
    steps,
  )

const pendingWithKey = (origin: string, key: string) =>
  fetch(`${origin}/v1/approvals.getPending`, { headers: { 'x-svc-api-key': key } })
const tokenFor = (origin: string, clientId: string, secret: string) =>
  fetch(`${origin}/realms/northwind/protocol/openid-connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${encodeURIComponent(secret)}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })

test('a new key is shown once, must be stored before the page can be left, and authenticates until it is revoked', async ({
  signedIn,
  origin,
}) => {
  const name = unique('reporting')
  const page = await signedIn('tom')
  await page.goto(home())
  const rail = page.getByRole('navigation', { name: 'Main' })
  await rail.getByRole('link', { name: 'Agents' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Agents' })).toBeVisible()
  await rail.getByRole('link', { name: 'Access' }).click()
  await page.getByRole('navigation', { name: 'Access' }).getByRole('link', { name: 'API keys' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'API keys' })).toBeVisible()
  await page.getByRole('button', { name: 'Create an API key' }).click()
  const form = dialog(page, 'Create an API key')
  await form.getByRole('textbox', { name: 'Name' }).fill(name)
  await form.getByRole('checkbox', { name: /decisions:read/ }).uncheck()
  await expect(form).toContainText('This key does not grant any permission')
  await form.getByRole('checkbox', { name: /decisions:read/ }).check()
  await form.getByRole('textbox', { name: 'Other scopes' }).fill('traces:write')
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Create the key' }).click()

  const shown = dialog(page, `The API key ${name}`)
  await expect(shown).toContainText('traces:write has no effect')
  await expect(shown).toContainText('decisions:read grants approval:list')
  const key = await shownValue(page)
  await expectAccessible(page)
  const here = page.url()
  await shown.getByRole('button', { name: 'Done' }).press('Enter')
  await page.keyboard.press('Escape')
  await expect(shown.getByRole('alert')).toContainText('Tick “I stored the key” first')
  await shown.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('link', { name: 'Home', includeHidden: true }).first().dispatchEvent('click')
  for (const steps of [-1, -2]) {
    await traverse(page, steps)
    await expect(page).toHaveURL(here)
    await expect(shown).toBeVisible()
  }
  const asked = page.waitForEvent('dialog')
  const reload = page.evaluate(() => location.reload())
  const question = await asked
  expect(question.type()).toBe('beforeunload')
  await question.dismiss()
  await reload
  expect(await shownValue(page)).toBe(key)

  expect((await pendingWithKey(origin, key)).status).toBe(200)
  await shown.getByRole('checkbox', { name: 'I stored the key' }).check()
  await shown.getByRole('button', { name: 'Done' }).click()
  await expect(shown).toBeHidden()
  await expect(page.getByText(key)).toHaveCount(0)
  const row = page.getByRole('row', { name: new RegExp(name) })
  await expect(row).toContainText('Active')
  await expect(row).toContainText('traces:write has no effect')
  await expectAccessible(page)

  const managed = await manage(page, name)
  await expect(managed.getByRole('button', { name: 'Archive' })).toHaveAccessibleDescription(/Revoke it first/)
  await expectAccessible(page)
  await managed.getByRole('button', { name: 'Revoke' }).click()
  const revoke = dialog(page, `Revoke ${name}`)
  await expect(revoke.getByRole('button', { name: 'Revoke the API key' })).toHaveAttribute('aria-disabled', 'true')
  await revoke.getByRole('textbox').fill(name)
  await expectAccessible(page)
  await revoke.getByRole('button', { name: 'Revoke the API key' }).click()
  await expect(row).toContainText('Revoked')
  expect((await pendingWithKey(origin, key)).status).toBe(401)

  await (await manage(page, name)).getByRole('button', { name: 'Archive' }).click()
  await dialog(page, `Archive ${name}`).getByRole('button', { name: 'Archive the API key' }).click()
  await expect(row).toHaveCount(0)
  await page.getByRole('link', { name: 'Show archived' }).click()
  await expect(row).toContainText('Archived')
  // The page can be left again.
  await page.goBack()
  await expect(page).toHaveURL(at('members'))
})

test('if the response with a new key is lost, a retry creates no second key and reports that the value is lost', async ({
  signedIn,
  troubles,
}) => {
  troubles.expect(/net::ERR_FAILED/)
  const name = unique('lost')
  const page = await signedIn('tom')
  await page.goto(at('api-keys'))
  // The server creates the key, but its response does not arrive.
  let losses = 0
  await page.route('**/v1/secrets.createApiKey*', async (route) => {
    if (losses++ > 0) return route.continue()
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('button', { name: 'Create an API key' }).click()
  const form = dialog(page, 'Create an API key')
  await form.getByRole('textbox', { name: 'Name' }).fill(name)
  await form.getByRole('button', { name: 'Create the key' }).click()
  await expect(form.getByRole('alert')).toContainText('It is unknown whether it was created.')
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Create the key' }).click()
  const made = dialog(page, `The API key ${name}`)
  await expect(made.getByRole('alert')).toContainText('the response with the value was lost')
  await made.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('row', { name: new RegExp(name) })).toHaveCount(1)
})

test('a list that could not be loaded shows an error with the request ID and can be loaded again', async ({
  signedIn,
  troubles,
}) => {
  troubles.expect(/status of 500/)
  const page = await signedIn('tom')
  let broken = true
  const requestId = '018f0000-0000-7000-8000-00000000e2e0'
  await page.route(/\/v1\/[^?]*secrets\.list\b/, (route) => {
    if (!broken) return route.continue()
    // Queries of the same moment share one HTTP request, so all of them fail.
    const together = new URL(route.request().url()).pathname.split(',').length
    const data = { code: 'INTERNAL_SERVER_ERROR', httpStatus: 500, reason: 'internal', retryable: false, requestId }
    const error = { json: { message: 'Something went wrong.', code: -32603, data } }
    return route.fulfill({
      status: 500,
      contentType: 'application/json',
      body: JSON.stringify(Array(together).fill({ error })),
    })
  })
  await page.goto(at('secrets'))
  const panel = page.getByRole('alert').filter({ hasText: 'could not be loaded' })
  await expect(panel).toContainText(requestId)
  await expect(page.getByRole('button', { name: 'Create a secret' })).toBeVisible()
  await expectAccessible(page)
  broken = false
  await panel.getByRole('button', { name: 'Load them again' }).click()
  await expect(panel).toBeHidden()
})

test('Vera can read the lists but not change them, Omar can’t read them, and blocked controls name the permitted roles', async ({
  signedIn,
  origin,
}) => {
  const secret = { name: unique('for-vera'), value: 'hidden' }
  await call(origin, await personToken(origin, 'tom'), 'mutation', 'secrets.create', secret)
  const page = await signedIn('vera')
  await page.goto(at('secrets'))
  const row = page.getByRole('row', { name: /for-vera/ }).first()
  await expect(page.getByRole('button', { name: 'Create a secret' })).toHaveAccessibleDescription(/tenant admin/)
  await row.getByRole('button', { name: /Manage/ }).click()
  for (const act of ['Read the value', 'Revoke', 'Archive'])
    await expect(page.getByRole('dialog').getByRole('button', { name: act })).toHaveAccessibleDescription(
      /Needs the permission secret:(read_value|revoke): tenant admin/,
    )
  await expectAccessible(page)

  const omars = await signedIn('omar')
  for (const [area, act, permission] of [
    ['members', 'Invite a person', 'member:manage'],
    ['groups', 'Create a group', 'member:manage'],
    ['service-accounts', 'Create a service account', 'service-account:manage'],
    ['api-keys', 'Create an API key', 'secret:read'],
    ['secrets', 'Create a secret', 'secret:read'],
  ] as const) {
    await omars.goto(at(area))
    await expect(omars.getByRole('main')).toContainText(`This requires the permission ${permission}.`)
    await expect(omars.getByRole('button', { name: act })).toHaveAttribute('aria-disabled', 'true')
    await expectAccessible(omars)
  }
  await omars.goto(`${home()}/settings/tenant`)
  await expect(omars.getByRole('button', { name: 'Set the rules' })).toHaveAccessibleDescription(/tenant:manage/)
  await expectAccessible(omars)
})

test('an invited person sets a password through the link and signs in, and loses access when suspended', async ({
  signedIn,
  browser,
  origin,
}) => {
  const name = unique('nora')
  const page = await signedIn('tom')
  await page.goto(at('members'))
  await expect(page.getByRole('table', { name: 'Members' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Invite a person' }).click()
  const form = dialog(page, 'Invite a person')
  await form.getByRole('textbox', { name: 'E-mail address' }).fill(`${name}@northwind.example`)
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill(`Nora ${name}`)
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Invite' }).click()
  const result = dialog(page, `Nora ${name} is invited`)
  const link = await shownValue(page)
  await page.keyboard.press('Escape')
  await expect(result.getByRole('alert')).toContainText('I have the link')
  await expectAccessible(page)
  await result.getByRole('checkbox', { name: 'I have the link' }).check()
  await result.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row', { name: new RegExp(name) })
  await expect(row).toContainText('Invited')

  const context = await browser.newContext({ baseURL: origin })
  const nora = await context.newPage()
  await nora.goto(link)
  const password = 'seven violet harbours 41'
  await nora.getByLabel('New password', { exact: true }).fill(password)
  await nora.getByLabel('Repeat new password').fill(password)
  await nora.getByRole('button', { name: 'Set password' }).click()
  await nora.getByRole('link', { name: 'Sign in' }).click()
  await expect(nora.getByRole('textbox', { name: 'Organisation' })).toHaveValue('northwind')
  await nora.getByRole('button', { name: 'Continue' }).click()
  await nora.getByRole('textbox', { name: 'User name' }).fill(name)
  await nora.getByLabel('Password').fill(password)
  await nora.getByRole('button', { name: 'Sign in' }).click()
  await expect(nora).toHaveURL(home())
  await nora.goto(`${home()}/settings/me`)
  await expect(nora.getByRole('heading', { level: 1 })).toHaveText(`Nora ${name}`)
  await expect(nora.getByRole('region', { name: 'Your membership' })).toContainText('Viewer')

  await page.reload()
  await expect(row).toContainText('Active')
  await (await manage(page, `Nora ${name}`)).getByRole('button', { name: 'Suspend' }).click()
  const suspend = dialog(page, `Suspend Nora ${name}`)
  await suspend.getByRole('textbox', { name: 'Reason' }).fill('Lost laptop.')
  await expectAccessible(page)
  await suspend.getByRole('button', { name: `Suspend Nora ${name}` }).click()
  await expect(row).toContainText('Suspended')
  await nora.reload()
  await expect(nora.getByRole('heading', { level: 1 })).toHaveText(/^Sign in to /)
  await context.close()

  await page.getByLabel('Show').selectOption('Suspended')
  await expect(page).toHaveURL(`${at('members')}?status=suspended`)
  await (await manage(page, `Nora ${name}`)).getByRole('button', { name: 'Remove' }).click()
  const remove = dialog(page, `Remove Nora ${name}`)
  await remove.getByRole('textbox', { name: 'Reason' }).fill('Left.')
  await remove.getByRole('button', { name: `Remove Nora ${name}` }).click()
  await expect(row).toHaveCount(0)
})

test('Tom can’t change his own membership, and the page shows why', async ({ signedIn }) => {
  const page = await signedIn('tom')
  await page.goto(at('members'))
  const own = await manage(page, 'Tom Okafor')
  for (const act of ['Set roles', 'Suspend', 'Remove'])
    await expect(own.getByRole('button', { name: act })).toHaveAccessibleDescription(/You can’t change your own/)
  await expectAccessible(page)
})

test('a role that can decide is granted only after another person approves a request that explains it', async ({
  signedIn,
  origin,
}) => {
  const page = await signedIn('tom')
  await page.goto(at('members'))
  await (await manage(page, 'Omar Haddad')).getByRole('button', { name: 'Set roles' }).click()
  const form = dialog(page, 'Roles of Omar Haddad')
  await form.getByRole('checkbox', { name: /^Approver/ }).check()
  await form.getByRole('textbox', { name: 'Reason' }).fill('Covers for Anna.')
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Set the roles and request approval' }).click()
  await expect(form).toContainText('Approver: waiting for approval.')
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Close' }).last().click()
  const row = page.getByRole('row', { name: /Omar Haddad/ })
  await expect(row).toContainText('waits for approval')
  const request = await row.getByRole('link', { name: 'waits for approval' }).getAttribute('href')
  if (request === null) throw new Error('The link to the request lacks an address.')

  const review = await signedIn('jonas')
  await review.goto(request)
  await expect(review.getByRole('heading', { level: 1 })).toContainText('Grant approver to Omar Haddad')
  await expect(review.getByRole('main')).toContainText('can decide requests of the approver groups they belong to')
  await expect(review.getByRole('main')).toContainText('Covers for Anna.')
  await expectAccessible(review)
  await review.getByRole('radio', { name: 'Approve' }).check()
  await review.getByRole('textbox', { name: /Reason/ }).fill('Omar was trained in May.')
  await review.getByRole('checkbox').check()
  await review.getByRole('button', { name: /^Approve grant of approver to Omar Haddad/ }).click()
  await expect(review.getByRole('heading', { name: 'Decided', exact: true })).toBeVisible()

  const token = await personToken(origin, 'tom')
  type Member = { username: string; roles: string[]; id: string; revision: number }
  let omar: Member | undefined
  await expect
    .poll(async () => {
      const members = await call<{ items: Member[] }>(origin, token, 'query', 'members.list', { limit: 200 })
      omar = members.items.find((member) => member.username === 'omar')
      return omar?.roles
    })
    .toEqual(['operator', 'approver'])
  // Restores the roles for the tests that follow.
  await call(origin, token, 'mutation', 'members.setRoles', {
    id: omar?.id,
    expectedRevision: omar?.revision,
    roles: ['operator'],
  })
})

test('both secrets of a service account work after a rotation, and neither works after it is disabled', async ({
  signedIn,
  origin,
}) => {
  const name = unique('Nightly export')
  const page = await signedIn('tom')
  await page.goto(at('service-accounts'))
  await expect(page.getByRole('table', { name: 'Service accounts' })).toContainText('ci-pipeline')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create a service account' }).click()
  const form = dialog(page, 'Create a service account')
  await form.getByRole('textbox', { name: 'Name' }).fill(name)
  await expect(form.getByRole('checkbox', { name: /^Tenant admin/ })).toHaveAccessibleDescription(
    /which is for people only/,
  )
  await form.getByRole('checkbox', { name: /^Viewer/ }).check()
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Create the account' }).click()
  const made = dialog(page, `The service account ${name}`)
  const first = await shownValue(page)
  const clientId = name.toLowerCase().replaceAll(' ', '-')
  await expect(made).toContainText(clientId)
  await made.getByRole('checkbox', { name: 'I stored the secret' }).check()
  await made.getByRole('button', { name: 'Done' }).click()
  expect((await tokenFor(origin, clientId, first)).status).toBe(200)

  await (await manage(page, name)).getByRole('button', { name: 'Rotate the secret' }).click()
  const rotate = dialog(page, `Rotate the secret of ${name}`)
  await expect(rotate.getByLabel('Current secrets expire')).toHaveValue('24')
  await expectAccessible(page)
  await rotate.getByRole('button', { name: 'Rotate the secret' }).click()
  const rotated = dialog(page, `A new secret for ${name}`)
  const second = await shownValue(page)
  expect(second).not.toBe(first)
  await expect(rotated).toContainText('Older secrets')
  await rotated.getByRole('checkbox', { name: 'I stored the secret' }).check()
  await rotated.getByRole('button', { name: 'Done' }).click()
  for (const secret of [first, second]) expect((await tokenFor(origin, clientId, secret)).status).toBe(200)
  const row = page.getByRole('row', { name: new RegExp(name) })
  await expect(row).toContainText('expires in 23 h')

  await (await manage(page, name)).getByRole('button', { name: 'Disable' }).click()
  await dialog(page, `Disable ${name}`).getByRole('button', { name: 'Disable the account' }).click()
  await expect(row).toContainText('Disabled')
  expect((await tokenFor(origin, clientId, second)).ok).toBe(false)
})

test('the value of a secret is shown on request and discarded when the dialog closes', async ({ signedIn }) => {
  const name = unique('model-endpoint')
  const value = `sk-${unique('value')}`
  const page = await signedIn('tom')
  await page.goto(at('secrets'))
  await page.getByRole('button', { name: 'Create a secret' }).click()
  const form = dialog(page, 'Create a secret')
  await form.getByRole('textbox', { name: 'Name' }).fill(name)
  await form.getByRole('textbox', { name: 'Value' }).fill(value)
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Create the secret' }).click()
  await expect(page.getByRole('row', { name: new RegExp(name) })).toContainText('Active')
  await expectAccessible(page)
  const managed = await manage(page, name)
  await expect(managed).not.toContainText(value)
  await managed.getByRole('button', { name: 'Read the value' }).click()
  expect(await shownValue(page)).toBe(value)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(page.getByText(value)).toHaveCount(0)
  await (await manage(page, name)).getByRole('button', { name: 'Revoke' }).click()
  const revoke = dialog(page, `Revoke ${name}`)
  await revoke.getByRole('textbox').fill(name)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('row', { name: new RegExp(name) })).toContainText('Revoked')
})

test('a new approver group is empty until its members are approved', async ({ signedIn }) => {
  const name = unique('claims')
  const page = await signedIn('tom')
  await page.goto(at('groups'))
  await expect(page.getByRole('table', { name: 'Approver groups' })).toContainText('change-approvers')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create a group' }).click()
  const form = dialog(page, 'Create an approver group')
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  await form.getByRole('textbox', { name: 'Display name' }).fill(`Claims ${name}`)
  await form.getByRole('checkbox', { name: /Anna Ruiz/ }).check()
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Create the group and propose its members' }).click()
  const asked = dialog(page, `Group Claims ${name} created`)
  await expect(asked).toContainText('The new members are proposed.')
  await asked.getByRole('button', { name: 'Close' }).last().click()
  const row = page.getByRole('row', { name: new RegExp(name) })
  await expect(row).toContainText('No one')
  await expect(row.getByRole('link', { name: /Waits for approval/ })).toBeVisible()
  await row.getByRole('button', { name: /Propose members/ }).click()
  await dialog(page, `Members of Claims ${name}`)
    .getByRole('checkbox', { name: /Jonas Berg/ })
    .check()
  await expect(page.getByRole('button', { name: 'Propose these members' })).toHaveAccessibleDescription(
    /already waiting/,
  )
  await expectAccessible(page)
})

test('a weaker rule requires approval and does not apply until then', async ({ signedIn }) => {
  const page = await signedIn('tom')
  await page.goto(`${home()}/settings/tenant`)
  const rules = page.getByRole('region', { name: 'Rules' })
  await expect(rules.getByRole('button', { name: 'Set the rules' })).toHaveAccessibleDescription(
    /You haven’t changed anything/,
  )
  await expectAccessible(page)
  const machines = rules.getByRole('group', { name: 'Decisions by machines' })
  await machines.getByRole('radio', { name: 'On' }).check()
  await expect(rules.getByRole('status')).toContainText('Requires the approval of a change approver')
  await expectAccessible(page)
  await rules.getByRole('button', { name: 'Request the weaker rules' }).click()
  await expect(rules).toContainText('Waiting for approval: decisions by machines from off to on.')
  await expect(machines.getByRole('radio', { name: 'Off' })).toBeChecked()
  await page.reload()
  await expect(rules).toContainText('Waiting for approval: decisions by machines from off to on.')
  await expectAccessible(page)
})

test('the branding is previewed first and shown to everyone after it is saved', async ({ signedIn }) => {
  const page = await signedIn('tom', 'globex')
  await page.goto(`/t/${externalId('globex')}/settings/tenant`)
  const branding = page.getByRole('region', { name: 'Branding' })
  const name = branding.getByRole('textbox', { name: 'Display name' })
  await name.fill('Initech')
  await branding.getByRole('textbox', { name: 'Accent colour' }).fill('red')
  await expect(branding).toContainText('Not a valid colour. Use #rrggbb, rgb() or oklch().')
  await branding.getByRole('textbox', { name: 'Accent colour' }).fill('#7c3aed')
  await branding.getByLabel('Logo mark').setInputFiles({
    name: 'mark.svg',
    mimeType: 'image/svg+xml',
    buffer: Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M2 2h20v20H2z" fill="#7c3aed"/></svg>',
    ),
  })
  await expect(branding.getByRole('figure')).toContainText('Initech')
  await expect(branding.getByRole('figure').getByRole('img', { name: 'Globex' })).toHaveCount(2)
  await expectAccessible(page)
  await expect(page.getByRole('banner')).toContainText('Globex')
  await branding.getByRole('button', { name: 'Save the branding' }).click()
  await expect(page.getByRole('banner')).toContainText('Initech')
  await expect(page.getByRole('banner').locator('img')).toHaveAttribute('src', /\/v1\/branding\/[0-9a-f]{64}$/)
  await expectAccessible(page)

  await name.fill('Globex')
  await branding.getByRole('textbox', { name: 'Accent colour' }).fill('#9a3412')
  await branding.getByRole('button', { name: 'Remove the logo mark' }).click()
  await branding.getByRole('button', { name: 'Save the branding' }).click()
  await expect(page.getByRole('banner')).toContainText('Globex')
})

test('Jonas names a delegate and ends the absence; a member who can’t decide is shown why they can’t name one', async ({
  page,
  signedIn,
}) => {
  await signIn(page, 'jonas')
  await page.goto(`${home()}/settings/me`)
  await expect(page.getByRole('table', { name: 'Permissions' })).toContainText('approval:decide')
  await expect(page.getByRole('link', { name: 'Change your password' })).toHaveAttribute(
    'href',
    /\/realms\/\w+\/password$/,
  )
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Name a delegate' }).click()
  const form = dialog(page, 'Name a delegate')
  await form.getByRole('textbox', { name: 'Delegate' }).fill('anna')
  await form.getByLabel('Last day (UTC)').fill(new Date(Date.now() + 86_400_000).toISOString().slice(0, 10))
  await form.getByRole('textbox', { name: 'Reason' }).fill('On leave.')
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Name the delegate' }).click()
  const row = page.getByRole('row', { name: /Anna Ruiz in your place/ }).first()
  await expect(row).toContainText('Now')
  await row.getByRole('button', { name: /End/ }).click()
  await dialog(page, 'End the absence').getByRole('button', { name: 'End the absence now' }).click()
  await expect(row).toContainText('Ended early')
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Sign out in this browser' }).click()
  await expect(page).toHaveURL('/signed-out')
  const omars = await signedIn('omar')
  await omars.goto(`${home()}/settings/me`)
  await expect(omars.getByRole('button', { name: 'Name a delegate' })).toHaveAccessibleDescription(/approval:decide/)
  await expectAccessible(omars)
})

test('a key is created and stored by keyboard alone', async ({ signedIn }) => {
  const name = unique('keyboard')
  const page = await signedIn('tom')
  await page.goto(at('api-keys'))
  await page.getByRole('button', { name: 'Create an API key' }).press('Enter')
  const form = dialog(page, 'Create an API key')
  await expect(form.getByRole('button', { name: 'Close' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(form.getByRole('textbox', { name: 'Name' })).toBeFocused()
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  const shown = dialog(page, `The API key ${name}`)
  await expect(shown.getByRole('button', { name: 'Close' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(shown.getByRole('button', { name: 'Copy the API key' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(shown.getByRole('checkbox', { name: 'I stored the key' })).toBeFocused()
  await page.keyboard.press('Space')
  await expect(shown.getByRole('checkbox', { name: 'I stored the key' })).toBeChecked()
  await page.keyboard.press('Tab')
  await expect(shown.getByRole('button', { name: 'Done' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(shown).toBeHidden()
  await expect(page.getByRole('row', { name: new RegExp(name) })).toContainText('Active')
})

for (const path of [
  'access/members',
  'access/groups',
  'access/service-accounts',
  'access/api-keys',
  'access/secrets',
  'settings/tenant',
  'settings/me',
])
  test(`${path} is accessible and fits, in both themes, wide and narrow`, async ({ signedIn }) => {
    const page = await signedIn('tom')
    await page.goto(`${home()}/${path}`)
    await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toBeVisible()
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1440, 390]) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 900 })
        // The content has replaced the skeletons.
        await expect(page.getByRole('main').getByRole('status').filter({ hasText: 'Loading' })).toHaveCount(0)
        await expectAccessible(page)
        const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
        expect(tooWide, `at ${width} px`).toBeLessThanOrEqual(0)
      }
  })
