import { at, dialog, manage, pendingWithKey, shownValue, tokenFor, traverse, unique } from './access-page.ts'
import { call, home, personToken } from './cases.ts'
import { expect, expectAccessible, test } from './fixtures.ts'

// API keys, service accounts and secrets, for an administrator and for other members.

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
  await expect(page.getByRole('button', { name: 'Create an API key' })).toBeFocused()
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

test('a connection token is shown once, sends telemetry until it is revoked, and names its use and agents', async ({
  signedIn,
  origin,
}) => {
  const name = unique('exporter')
  const page = await signedIn('tom')
  await page.goto(at('service-accounts'))
  await page.getByRole('navigation', { name: 'Access' }).getByRole('link', { name: 'Connection tokens' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Connection tokens' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create a connection token' }).click()
  const form = dialog(page, 'Create a connection token')
  const submit = form.getByRole('button', { name: 'Create the token' })
  await form.getByRole('textbox', { name: 'Name' }).fill(name)
  await form.getByLabel('Service account').selectOption({ label: 'Decisions bot' })
  await expect(submit).toHaveAccessibleDescription(/lacks the permission telemetry:write/)
  await form.getByLabel('For').selectOption('gateway')
  await expect(submit).toHaveAccessibleDescription('Name at least one agent.')
  await form.getByLabel('For').selectOption('telemetry')
  await form.getByLabel('Service account').selectOption({ label: 'Telemetry' })
  await form.getByRole('textbox', { name: 'Agents' }).fill('planner, writer')
  await expect(form.getByLabel('Expires').getByRole('option', { name: 'Never' })).toHaveCount(0)
  await expectAccessible(page)
  await submit.click()

  const shown = dialog(page, `The connection token ${name}`)
  await expect(shown).toContainText('OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20')
  const token = await shownValue(page)
  expect(token).toMatch(/^cst_/)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(shown.getByRole('alert')).toContainText('Tick “I stored the token” first')
  await shown.getByRole('checkbox', { name: 'I stored the token' }).check()
  await shown.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row', { name: new RegExp(name) })
  await expect(row).toContainText('Active')
  await expect(row).toContainText('planner, writer')
  await expect(row).toContainText('Never')
  const send = () =>
    fetch(`${origin}/v1/traces`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    })
  expect((await send()).status).toBe(200)

  const managed = await manage(page, name)
  await expectAccessible(page)
  await managed.getByRole('button', { name: 'Revoke' }).click()
  const revoke = dialog(page, `Revoke ${name}`)
  await expect(revoke.getByRole('button', { name: 'Revoke the token' })).toHaveAttribute('aria-disabled', 'true')
  await revoke.getByRole('textbox').fill(name)
  await revoke.getByRole('button', { name: 'Revoke the token' }).click()
  await expect(row).toContainText('Revoked')
  expect((await send()).status).toBe(401)
})

test('a connection token for SCIM needs no agents, and is shown with the address that a provider asks for', async ({
  signedIn,
  origin,
}) => {
  const name = unique('directory')
  const page = await signedIn('tom')
  await page.goto(at('connection-tokens'))
  await page.getByRole('button', { name: 'Create a connection token' }).click()
  const form = dialog(page, 'Create a connection token')
  await form.getByRole('textbox', { name: 'Name' }).fill(name)
  await form.getByRole('textbox', { name: 'Agents' }).fill('planner')
  await form.getByLabel('For').selectOption('scim')
  await expect(form.getByRole('textbox', { name: 'Agents' })).toHaveCount(0)
  await form.getByLabel('Service account').selectOption({ label: 'Decisions bot' })
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Create the token' }).click()
  const shown = dialog(page, `The connection token ${name}`)
  await expect(shown).toContainText(`${origin}/scim/v2`)
  const token = await shownValue(page)
  await expectAccessible(page)
  await shown.getByRole('checkbox', { name: 'I stored the token' }).check()
  await shown.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('row', { name: new RegExp(name) })).toContainText('Members (SCIM)')
  const config = await fetch(`${origin}/scim/v2/ServiceProviderConfig`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect([config.status, config.headers.get('content-type')]).toEqual([200, 'application/scim+json'])
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
  await expect(form.getByRole('alert')).toContainText('It is unknown whether the change was made.')
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
      'Only a tenant administrator can do this.',
    )
  await expectAccessible(page)

  const omars = await signedIn('omar')
  for (const [area, act, who] of [
    ['members', 'Invite a person', 'a tenant administrator'],
    ['groups', 'Create a group', 'a tenant administrator'],
    ['service-accounts', 'Create a service account', 'a tenant administrator'],
    ['connection-tokens', 'Create a connection token', 'a tenant administrator'],
    ['api-keys', 'Create an API key', 'an auditor or a tenant administrator'],
    ['secrets', 'Create a secret', 'an auditor or a tenant administrator'],
  ] as const) {
    await omars.goto(at(area))
    await expect(omars.getByRole('main')).toContainText(`Only ${who} can.`)
    await expect(omars.getByRole('button', { name: act })).toHaveAttribute('aria-disabled', 'true')
    await expectAccessible(omars)
  }
  await omars.goto(`${home()}/settings/tenant`)
  await expect(omars.getByRole('button', { name: 'Set the rules' })).toHaveAccessibleDescription(
    'Only a tenant administrator can do this.',
  )
  await expectAccessible(omars)
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
