import { address, open } from './approval-page.ts'
import { waitingRefund } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { expect, test } from './fixtures.ts'

test('a reviewer asks, and the requester answers; both see it without reloading', async ({ signedIn, origin }) => {
  const refund = await waitingRefund(origin)
  const jonas = await open(await signedIn('jonas'), refund)
  const maria = await signedIn('maria')
  await maria.goto(address(refund))
  await jonas.getByRole('button', { name: 'Ask Maria Köhler…' }).click()
  await expect(jonas.getByRole('button', { name: 'Ask', exact: true })).toHaveAttribute('aria-disabled', 'true')
  await jonas.getByRole('textbox', { name: 'Your question to Maria Köhler' }).fill('Is the claim settled?')
  await jonas.getByRole('button', { name: 'Ask', exact: true }).click()
  const questions = jonas.getByRole('region', { name: 'Questions' })
  await expect(questions).toContainText('1 of 1 not answered')

  const theirs = maria.getByRole('region', { name: 'Questions' })
  await expect(theirs).toContainText('Is the claim settled?')
  await maria.getByRole('textbox', { name: 'Your answer' }).fill('Yes, on 4 March.')
  await expectEveryView(maria, 'questions')
  await maria.getByRole('button', { name: 'Answer' }).click()
  await expect(theirs).toContainText('all answered')
  await expect(questions).toContainText('Yes, on 4 March.')
  await expect(questions).toContainText('all answered')
})
