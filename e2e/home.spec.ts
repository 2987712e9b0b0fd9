import type { Page, Route } from '@playwright/test'
import { externalId, home, waitingRefund } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { expect, expectAccessible, test } from './fixtures.ts'
import { signInToNewTenant } from './new-tenant.ts'
import { readerManifest, register, releasedAgent, startAs } from './own-agent.ts'

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** The procedures of a batch, by their place in it. */
const proceduresOf = (url: URL): string[] => url.pathname.replace('/v1/', '').split(',')

test('home shows what needs a person and what runs, with figures and their tables, and follows changes', async ({
  signedIn,
  origin,
}) => {
  const page = await signedIn('jonas')
  await page.goto(home())
  await expect(page.getByText('Loading the approvals…')).toHaveCount(0)
  const refund = await waitingRefund(origin)
  // Without loading the page again.
  const needs = region(page, 'Needs you')
  await expect(needs.locator(`[data-row="${refund.approvalId}"]`).or(needs.getByRole('row').nth(6))).toBeVisible()
  await expect(page.getByText(/requests? needs? you/)).toBeVisible()
  await expect(region(page, 'Running now')).toContainText(/waiting for approval/)

  const decisions = region(page, 'Decisions')
  await expect(decisions.getByRole('table')).toBeHidden()
  await decisions.locator('summary').click()
  await expect(decisions.getByRole('table', { name: 'Decisions by day' }).getByRole('row')).toHaveCount(15)
  await decisions.locator('summary').click()
  await expect(region(page, 'Cost of models')).toBeVisible()
  await expectEveryView(page, 'home')

  // The palette and the keys offer the actions of the page.
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keys' })).toContainText('Decide the first')
  await page.keyboard.press('Escape')
  await page.keyboard.press('d')
  await expect(page).toHaveURL(/\/approvals\/[0-9a-f-]+\?view=needs-me$/)
})

test('home sends its parts in one request, and a part that can’t be read fails without the page', async ({
  signedIn,
}) => {
  const page = await signedIn('vera')
  const batches: string[][] = []
  const nowhere = async (route: Route) => {
    const url = new URL(route.request().url())
    const procedures = proceduresOf(url)
    batches.push(procedures)
    const place = procedures.indexOf('home.figures')
    if (place === -1) return await route.continue()
    const inputs = JSON.parse(url.searchParams.get('input') ?? '{}')
    inputs[place] = { json: { timeZone: 'Nowhere' } }
    url.searchParams.set('input', JSON.stringify(inputs))
    await route.continue({ url: url.href })
  }
  await page.route(/\/v1\/[\w.,]*home\./, nowhere)
  await page.goto(home())
  await expect(page.getByRole('alert').filter({ hasText: 'The figures could not be loaded.' })).toBeVisible()
  await expect(region(page, 'Changed since yesterday')).toContainText(/registered|released|published|changed|created/)
  await expect(region(page, 'Running now')).toBeVisible()
  await expect(region(page, 'Today’s log')).toContainText('Last checkpoint')
  expect(batches[0]).toEqual(expect.arrayContaining(['home.now', 'home.figures', 'home.changes', 'executions.list']))
  await expectAccessible(page)
  await page.unroute(/\/v1\/[\w.,]*home\./)
  await expect(page.getByRole('button', { name: 'Load them again' })).toHaveCount(0)
  await page.reload()
  await expect(region(page, 'Decisions')).toBeVisible()
})

test('home of an organisation in which nothing happens says what would fill it', async ({ page, origin }) => {
  await signInToNewTenant(page, origin)
  await expect(page.getByText('No approvals need you.')).toBeVisible()
  await expect(page.getByText('No executions are running.')).toBeVisible()
  await expect(page.getByText('Every agent that telemetry names is registered.')).toBeVisible()
  await expect(region(page, 'Failed executions')).toContainText('None ended')
  await expect(page.getByText('Nothing needs you.')).toBeVisible()
  await expectEveryView(page, 'home-empty')
})

test('the list of agents shows what each did, and its menu suspends and resumes one', async ({ signedIn, origin }) => {
  const name = `e2e-listed-${Date.now()}`
  const agentId = await releasedAgent(origin, readerManifest(name))
  const executionId = await startAs(origin, agentId, { orderId: 'A-1001' })
  const page = await signedIn('omar')
  await page.goto(`/t/${externalId()}/agents`)
  const row = page.getByRole('row').filter({ hasText: name })
  await expect(row).toContainText('Succeeded')
  await expect(row).toContainText('0 % of 1')
  await expect(row.locator(`a[href$="${executionId}"]`)).toBeVisible()
  await expectEveryView(page, 'agents')

  const menu = row.getByRole('button', { name: `Actions for ${name}` })
  const act = async (item: string, label: string) => {
    await menu.click()
    await page.getByRole('menuitem', { name: item }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('To be seen in the list.')
    await dialog.getByRole('button', { name: label }).click()
    await expect(dialog).toBeHidden()
  }
  await act('Suspend the agent…', 'Suspend the agent')
  await expect(row).toContainText('Suspended')
  await expect(menu).toBeFocused()
  await act('Resume the agent…', 'Resume the agent')
  await expect(row).toContainText('Active')
  // Other tests count the agents that can run.
  await act('Suspend the agent…', 'Suspend the agent')
  await expect(row).toContainText('Suspended')
  await act('Retire the agent…', 'Retire the agent')
  await expect(row).toContainText('Retired')
})

test('a menu opens at the first press, also when its code is there by then', async ({ signedIn, origin }) => {
  const name = `e2e-pressed-${Date.now()}`
  await register(origin, readerManifest(name))
  const page = await signedIn('vera')
  await page.goto(`/t/${externalId()}/agents`)
  const button = page.getByRole('button', { name: `Actions for ${name}` })
  await button.hover()
  // Its code is loaded for the pointer.
  await page.waitForLoadState('networkidle')
  await button.click()
  await expect(page.getByRole('menuitem', { name: /^Suspend the agent/ })).toBeVisible()
})

test('a person who may not stop agents finds out who can', async ({ signedIn, origin }) => {
  const name = `e2e-unstoppable-${Date.now()}`
  await register(origin, readerManifest(name))
  const page = await signedIn('vera')
  await page.goto(`/t/${externalId()}/agents`)
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  const suspend = page.getByRole('menuitem', { name: /^Suspend the agent/ })
  await expect(suspend).toHaveAttribute('aria-disabled', 'true')
  await expect(suspend).toContainText('Only an operator can do this.')
  await expectAccessible(page)
})

test('a page is as wide as 1,600 px and in the middle of a wide screen', async ({ signedIn }) => {
  const page = await signedIn('vera')
  await page.setViewportSize({ width: 2560, height: 1300 })
  await page.goto(`${home()}/executions`)
  await expect(page.getByRole('heading', { level: 1, name: 'Executions' })).toBeVisible()
  const main = await page.getByRole('main').boundingBox()
  const rail = await page.getByRole('navigation', { name: 'Main' }).boundingBox()
  expect(main?.width).toBeLessThanOrEqual(1600)
  expect(main?.width).toBeGreaterThan(1560)
  // As much space before the rail as after the page.
  const before = rail?.x ?? 0
  const after = 2560 - (main?.x ?? 0) - (main?.width ?? 0)
  expect(Math.abs(before - after)).toBeLessThan(20)
  await expectAccessible(page)
})
