import type { Page } from '@playwright/test'
import { externalId, home, waitingRefund } from './cases.ts'
import { editor, write } from './editor.ts'
import { expectEveryView } from './every-view.ts'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'

const manifest = (name: string) => `metadata: { name: ${name} }\nspec: { runtime: { observe: {} } }\n`
const left = (page: Page) => page.getByText('You were on this page before. What you typed is still here.')

/** Whether this browser keeps a draft of a form. */
const isKept = (page: Page, form: string) =>
  page.evaluate(async (part) => {
    const asked = indexedDB.open('countersign')
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      asked.onsuccess = () => resolve(asked.result)
      asked.onerror = () => reject(asked.error)
    })
    const names = database.transaction('texts').objectStore('texts').getAllKeys()
    await new Promise((resolve) => {
      names.onsuccess = resolve
    })
    database.close()
    return names.result.some((name) => String(name).startsWith('draft.') && String(name).includes(part))
  }, form)

test('a manifest that was not registered is still there after a reload and after another page', async ({
  signedIn,
}) => {
  const name = `kept-${Date.now()}`
  const page = await signedIn('maria')
  const text = () => editor(page, 'Manifest (YAML)')
  await page.goto(`/t/${externalId()}/agents/new`)
  await write(await text(), manifest(name))
  await expect.poll(() => isKept(page, '.manifest.')).toBe(true)
  await expect(left(page)).toBeHidden()
  await page.reload()
  await expect(await text()).toContainText(name)
  await expect(left(page)).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Agents', exact: true }).first().click()
  await expect(page.getByRole('heading', { level: 1, name: 'Agents' })).toBeVisible()
  await page.goBack()
  await expect(await text()).toContainText(name)

  await page.getByRole('button', { name: 'Start over' }).click()
  await expect(await text()).not.toContainText(name)
  await expect.poll(() => isKept(page, '.manifest.')).toBe(false)
  await page.reload()
  await expect(await text()).not.toContainText(name)
  await expect(left(page)).toBeHidden()

  await write(await text(), manifest(name))
  await page.getByRole('button', { name: 'Register the agent' }).click()
  await expect(page.getByText(`${name} is registered as version 1.`)).toBeVisible()
  await page.reload()
  await expect(await text()).not.toContainText(name)
  await expect(left(page)).toBeHidden()
})

test('each start of a policy has its own draft, and signing out deletes them', async ({ page }) => {
  await signIn(page, 'maria')
  const text = () => editor(page, 'Policy (Cedar)')
  await page.goto(`/t/${externalId()}/policies/new`)
  await page.getByLabel('Purpose').fill('About limits.')
  // Left at once, so that the last keys are kept by leaving.
  await write(await text(), '// A first thought')
  await page.getByRole('navigation', { name: 'Policies to start from' }).getByRole('link').nth(1).click()
  await expect(page).toHaveURL(/start=/)
  await expect(await text()).not.toContainText('A first thought')
  await expect(left(page)).toBeHidden()
  await page.goBack()
  await expect(await text()).toContainText('A first thought')
  await expect(page.getByLabel('Purpose')).toHaveValue('About limits.')
  await page.getByRole('button', { name: /theme and sign out$/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page).toHaveURL(/signed-out/)
  await signIn(page, 'maria')
  await page.goto(`/t/${externalId()}/policies/new`)
  await expect(await text()).not.toContainText('A first thought')
  await expect(left(page)).toBeHidden()
})

const chooseRefunds = async (page: Page) => {
  await page.goto(`/t/${externalId()}/executions/new`)
  await page.getByLabel('Agent', { exact: true }).selectOption({ label: 'Refund assistant (refund-assistant)' })
  await page.getByRole('radio', { name: 'production' }).check()
}

test('an input that was not sent is still there after a reload', async ({ signedIn }) => {
  const page = await signedIn('maria')
  const order = page.getByRole('textbox', { name: 'Order id' })
  await chooseRefunds(page)
  await order.fill('A-1001')
  await expect(left(page)).toBeHidden()
  await expect.poll(() => isKept(page, '.execution.')).toBe(true)
  await chooseRefunds(page)
  await expect(order).toHaveValue('A-1001')
  await expect(left(page)).toBeVisible()
  await page.getByRole('button', { name: 'Start over' }).click()
  await expect(order).toHaveValue('')
  await expect.poll(() => isKept(page, '.execution.')).toBe(false)
})

test('what was sent is not offered again, even to a person who did not wait for the answer', async ({ signedIn }) => {
  const page = await signedIn('maria')
  const order = page.getByRole('textbox', { name: 'Order id' })
  await chooseRefunds(page)
  await order.fill('A-1001')
  await expect.poll(() => isKept(page, '.execution.')).toBe(true)
  const asked = Promise.withResolvers<void>()
  await page.route(/executions\.execute/, async (route) => {
    await asked.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Start Refund assistant…' }).click()
  const answered = page.waitForResponse(/executions\.execute/)
  await page.getByRole('button', { name: 'Start Refund assistant in production' }).click()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Executions' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Executions' })).toBeVisible()
  asked.resolve()
  expect((await answered).status()).toBe(200)
  await chooseRefunds(page)
  await expect(order).toHaveValue('')
  await expect(left(page)).toBeHidden()
})

test('rules and branding that were not sent are still there after a reload and after another page', async ({
  signedIn,
}) => {
  const page = await signedIn('tom', 'globex')
  const settings = `/t/${externalId('globex')}/settings/tenant`
  const rules = page.getByRole('region', { name: 'Rules' })
  const branding = page.getByRole('region', { name: 'Branding' })
  const decisions = rules.getByRole('group', { name: /machines/i })
  const name = branding.getByRole('textbox', { name: 'Display name' })
  await page.goto(settings)
  await expect(decisions.getByRole('radio').first()).toBeVisible()
  const unchecked = await decisions.getByRole('radio', { checked: false }).getAttribute('value')
  await decisions.getByRole('radio', { checked: false }).check()
  await name.fill('Globex of tomorrow')
  await branding.getByLabel('Logo mark').setInputFiles({
    name: 'mark.svg',
    mimeType: 'image/svg+xml',
    buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M2 2h20v20H2z"/></svg>'),
  })
  await expect.poll(() => isKept(page, '.rules.')).toBe(true)
  await expect.poll(() => isKept(page, '.branding.')).toBe(true)
  await page.reload()
  await expect(name).toHaveValue('Globex of tomorrow')
  await expect(left(page)).toHaveCount(2)
  await expect(decisions.getByRole('radio', { checked: true })).toHaveAttribute('value', unchecked ?? '')
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Agents', exact: true }).first().click()
  await expect(page.getByRole('heading', { level: 1, name: 'Agents' })).toBeVisible()
  await page.goBack()
  await expect(name).toHaveValue('Globex of tomorrow')
  await expect(branding.getByRole('button', { name: 'Remove the logo mark' })).toBeVisible()

  for (const form of [rules, branding]) await form.getByRole('button', { name: 'Start over' }).click()
  await expect(name).not.toHaveValue('Globex of tomorrow')
  await expect
    .poll(async () => [await isKept(page, '.rules.'), await isKept(page, '.branding.')])
    .toEqual([false, false])
})

test('a changed field withdraws the refusal of the rules and of the branding', async ({ signedIn, troubles }) => {
  troubles.expect(/40[09]/)
  const page = await signedIn('tom')
  const refuse = (address: string) =>
    page.route(address, async (route) => {
      // The server refuses what another version of the console might send.
      const sent = JSON.parse(route.request().postData() ?? '{}') as object
      await route.continue({ postData: JSON.stringify({ ...sent, unknown: true }) })
    })
  const refusal = (name: string) => page.getByRole('region', { name }).getByRole('alert')
  await refuse('**/v1/tenants.updateSettings*')
  await refuse('**/v1/tenants.updateBranding*')
  await page.goto(`/t/${externalId()}/settings/tenant`)
  const rules = page.getByRole('region', { name: 'Rules' })
  await rules
    .getByRole('group', { name: /machines/i })
    .getByRole('radio', { checked: false })
    .check()
  await rules.getByRole('button', { name: /^(Set|Request)/ }).click()
  await expect(refusal('Rules')).toBeVisible()
  await rules.getByRole('textbox', { name: 'Reason (optional)' }).fill('Because.')
  await expect(refusal('Rules')).toHaveCount(0)
  const branding = page.getByRole('region', { name: 'Branding' })
  await branding.getByRole('textbox', { name: 'Display name' }).fill('Northwind of tomorrow')
  await branding.getByRole('button', { name: 'Save the branding' }).click()
  await expect(refusal('Branding')).toBeVisible()
  await branding.getByRole('textbox', { name: 'Accent colour' }).fill('#7c3aed')
  await expect(refusal('Branding')).toHaveCount(0)

  // The drafts outlive the test in this person's browser.
  const kept = async () => [await isKept(page, '.rules.'), await isKept(page, '.branding.')]
  await expect.poll(kept).toEqual([true, true])
  await page.reload()
  for (const form of [rules, branding]) await form.getByRole('button', { name: 'Start over' }).click()
  await expect.poll(kept).toEqual([false, false])
})

test('each of two tabs of one request keeps what was typed in it, and a new one begins with the last', async ({
  signedIn,
  origin,
}) => {
  const { approvalId } = await waitingRefund(origin)
  const one = await signedIn('jonas')
  const address = `${home()}/approvals/${approvalId}`
  const reason = (page: Page) => page.getByRole('textbox', { name: 'Reason' })
  const open = async (page: Page) => {
    await page.goto(address)
    await expect(reason(page)).toBeEditable()
  }
  await open(one)
  const other = await one.context().newPage()
  await open(other)
  await reason(one).fill('Typed in the first tab.')
  await expect.poll(() => isKept(one, approvalId)).toBe(true)
  await reason(other).fill('Typed in the second tab.')
  await one.reload()
  await expect(reason(one)).toHaveValue('Typed in the first tab.')
  await other.reload()
  await expect(reason(other)).toHaveValue('Typed in the second tab.')

  await reason(one).fill('Typed last.')
  // Leaving keeps the last keys.
  await one.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click()
  await expect(one).toHaveURL(new RegExp(`${home()}/?$`))
  const third = await one.context().newPage()
  await open(third)
  await expect(reason(third)).toHaveValue('Typed last.')
  await other.reload()
  await expect(reason(other)).toHaveValue('Typed in the second tab.')
})

test('with the server away, another page is not opened, and the person keeps what they typed', async ({
  signedIn,
  troubles,
}) => {
  troubles.expect(/net::ERR_CONNECTION_REFUSED|Failed to fetch|RSC/)
  const page = await signedIn('maria')
  await page.goto(`/t/${externalId()}/policies/new`)
  await page.getByLabel('Purpose').fill('About limits.')
  await page.waitForLoadState('networkidle')
  await page.route('**/*', (route) => route.abort('connectionrefused'))
  const agents = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Agents' })
  await agents.click()
  const asked = page.getByRole('alertdialog', { name: 'The page can’t be opened' })
  await expect(asked).toBeVisible()
  await expectEveryView(page, 'server-away')
  await asked.getByRole('button', { name: 'Try again' }).click()
  await expect(asked.getByRole('button', { name: 'Try again' })).toBeVisible()
  await asked.getByRole('button', { name: 'Stay on this page' }).click()
  await expect(asked).toBeHidden()
  await expect(page).toHaveURL(/\/policies\/new$/)
  await expect(page.getByLabel('Purpose')).toHaveValue('About limits.')
  await page.getByLabel('Purpose').fill('About other limits.')

  // The same link asks again, and opens the page when the server is back.
  await agents.click()
  await expect(asked).toBeVisible()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await asked.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Agents' })).toBeVisible()
  await page.goBack()
  await expect(page.getByLabel('Purpose')).toHaveValue('About other limits.')
})
