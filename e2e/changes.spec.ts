import { address, open } from './approval-page.ts'
import { waitingRefund } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { expect, test } from './fixtures.ts'

test('a reviewer requests changes, the requester proposes other arguments, and the new request shows the difference', async ({
  signedIn,
  origin,
}) => {
  const refund = await waitingRefund(origin)
  const jonas = await open(await signedIn('jonas'), refund)
  const maria = await signedIn('maria')
  await maria.goto(address(refund))
  await jonas.getByRole('button', { name: 'Request changes…' }).click()
  await jonas.getByRole('textbox', { name: 'What should change' }).fill('Half of it: one item was kept.')
  await jonas.getByRole('button', { name: 'Request changes', exact: true }).click()
  const ended = jonas.getByRole('region', { name: 'Changes requested' })
  await expect(ended).toContainText('Half of it: one item was kept.')

  const theirs = maria.getByRole('region', { name: 'Changes requested' })
  await expect(theirs).toContainText('Half of it: one item was kept.')
  await expect(maria.getByRole('button', { name: 'Propose these arguments' })).toHaveAttribute('aria-disabled', 'true')
  const amount = maria.getByRole('textbox', { name: 'amount' })
  await amount.fill('21\u200b00.00')
  await expect(amount).toHaveAccessibleDescription(/look-alike characters: 21U\+200B00\.00/)
  await amount.fill('2100.00')
  await expect(amount).not.toHaveAccessibleDescription(/U\+200B/)
  await expectEveryView(maria, 'changes-requested')
  await maria.getByRole('button', { name: 'Propose these arguments' }).click()
  await expect(theirs.getByRole('link', { name: 'Open the request with other arguments' })).toBeVisible()

  await ended.getByRole('link', { name: 'Open the request with other arguments' }).click()
  const changed = jonas.getByRole('region', { name: 'Changed after a review' })
  await expect(changed.getByRole('row', { name: /amount/ })).toContainText('2100.00')
  await expect(jonas.getByRole('heading', { level: 1 })).toContainText('€2,100.00')
  await expectEveryView(jonas, 'changed-after-a-review')
})
