import type { Page } from '@playwright/test'
import { externalId } from './cases.ts'
import { editor, write } from './editor.ts'
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
