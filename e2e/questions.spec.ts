import { address, open } from './approval-page.ts'
import { decideAs, waitingRefund } from './cases.ts'
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

test('what a reviewer is writing stays when a colleague decides the request', async ({ signedIn, origin }) => {
  const refund = await waitingRefund(origin)
  const page = await open(await signedIn('jonas'), refund)
  const questions = page.getByRole('region', { name: 'Questions' })
  const ask = questions.getByRole('button', { name: 'Ask', exact: true })
  await questions.getByRole('button', { name: 'Ask Maria Köhler…' }).click()
  await questions.getByRole('textbox', { name: 'Your question to Maria Köhler' }).fill('Is the claim settled?')
  await questions.getByRole('button', { name: 'Request changes…' }).click()
  await questions.getByRole('textbox', { name: 'What should change' }).fill('Only the part that is not disputed.')
  await expect(ask).not.toHaveAttribute('aria-disabled')
  await decideAs(origin, 'anna', refund.approvalId, 'reject', 'Not this one.')
  await expect(questions.getByText('This is no longer possible.')).toHaveCount(2)
  await expect(ask).toHaveAttribute('aria-disabled', 'true')
  await expect(questions.getByRole('textbox', { name: 'What should change' })).toHaveValue(/not disputed/)
  await questions.getByRole('button', { name: 'Not now' }).last().click()
  await questions.getByRole('button', { name: 'Not now' }).click()
  await expect(questions).toHaveCount(0)
})
