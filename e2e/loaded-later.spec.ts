import { home, waitingRefund } from './cases.ts'
import { expect, expectAccessible, test } from './fixtures.ts'
import { codeIsLost, loseCode, notLoaded } from './lost-code.ts'

// Parts of pages whose code is loaded when they are shown, while the console's files can't be reached.

test('a tab that could not be loaded says so in its place, and is loaded when asked to', async ({
  signedIn,
  origin,
  troubles,
}) => {
  troubles.expect(codeIsLost)
  const { executionId } = await waitingRefund(origin)
  const page = await signedIn('omar')
  await page.goto(`${home()}/executions/${executionId}`)
  const views = page.getByRole('navigation', { name: 'Views of the execution' })
  await expect(page.getByRole('region', { name: 'Journal' })).toBeVisible()
  const code = await loseCode(page)
  await views.getByRole('link', { name: 'Waits' }).click()
  await expect(notLoaded(page)).toContainText('Check the connection, then load it again.')
  await expectAccessible(page)
  // The rest of the page works.
  await views.getByRole('link', { name: 'Timeline' }).click()
  await expect(page.getByRole('region', { name: 'Journal' })).toBeVisible()
  await views.getByRole('link', { name: 'Waits' }).click()
  await expect(notLoaded(page)).toBeVisible()
  await code.reach()
  await page.getByRole('button', { name: 'Load it again' }).click()
  await expect(page.getByText('This execution is not waiting for input.')).toBeVisible()
  await expect(notLoaded(page)).toBeHidden()
})

test('and without being asked when the connection is back', async ({ signedIn, origin, troubles }) => {
  troubles.expect(codeIsLost)
  const { executionId } = await waitingRefund(origin)
  const page = await signedIn('omar')
  await page.goto(`${home()}/executions/${executionId}`)
  await expect(page.getByRole('region', { name: 'Journal' })).toBeVisible()
  const code = await loseCode(page)
  const views = page.getByRole('navigation', { name: 'Views of the execution' })
  await views.getByRole('link', { name: 'Inputs' }).click()
  await expect(notLoaded(page)).toBeVisible()
  await page.context().setOffline(true)
  await code.reach()
  await page.context().setOffline(false)
  await expect(page.getByText('No input events yet.')).toBeVisible()
  await expect(notLoaded(page)).toBeHidden()
})
