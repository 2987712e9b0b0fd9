import { home, waitingRefund } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { expect, test } from './fixtures.ts'

test('Jonas saves the filters of his inbox, Anna uses them, and he removes them', async ({ signedIn, origin }) => {
  await waitingRefund(origin)
  const jonas = await signedIn('jonas')
  await jonas.goto(`${home()}/approvals?min=1000`)
  await jonas.getByRole('button', { name: 'Save this view…' }).click()
  const dialog = jonas.getByRole('dialog', { name: 'Save this view' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Large refunds')
  await dialog.getByRole('checkbox', { name: 'Share it with everyone who can see the approvals' }).check()
  await dialog.getByRole('button', { name: 'Save the view' }).click()
  await expect(jonas.getByRole('link', { name: /^Large refunds/ })).toHaveAttribute('aria-current', 'true')
  await expectEveryView(jonas, 'saved-views')

  const anna = await signedIn('anna')
  await anna.goto(`${home()}/approvals`)
  await anna.getByRole('link', { name: /^Large refunds/ }).click()
  await expect(anna).toHaveURL(/min=1000/)
  await expect(anna.getByRole('button', { name: 'Remove this view…' })).toHaveCount(0)

  await jonas.getByRole('button', { name: 'Remove this view…' }).click()
  await jonas.getByRole('dialog').getByRole('button', { name: 'Remove the view' }).click()
  await expect(jonas.getByRole('link', { name: /^Large refunds/ })).toHaveCount(0)
})
