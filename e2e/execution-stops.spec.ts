import { call, decideAs, externalId, personToken, waitingInput, waitingRefund } from './cases.ts'
import { expect, expectAccessible, test } from './fixtures.ts'
import { hold, wasCalled } from './gate.ts'

// Executions that wait for input, and executions that a person stops.

test('Omar sends the input that an execution waits for; after a lost response a retry is accepted only once', async ({
  signedIn,
  origin,
  troubles,
}) => {
  troubles.expect(/net::ERR_FAILED/)
  const { executionId } = await waitingInput(origin)
  const page = await signedIn('omar')
  await page.goto(`/t/${externalId()}/executions/${executionId}`)
  await expect(page.getByRole('region', { name: 'Journal' })).toContainText('Input was requested: manager_confirmation')
  await page.getByRole('link', { name: 'Open the waits' }).click()
  const waits = page.getByRole('region', { name: 'Waits' })
  await expect(waits).toContainText('1 open')
  await expect(waits).toContainText('without an answer by then, the execution ends as expired')
  await expectAccessible(page)

  const keys: (string | null)[] = []
  // The first response is lost after the server has accepted the event.
  await page.route('**/v1/input-events', async (route) => {
    keys.push(await route.request().headerValue('idempotency-key'))
    if (keys.length > 1) return await route.continue()
    await route.fetch()
    await route.abort()
  })
  await waits.getByRole('button', { name: 'Send manager_confirmation' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send manager_confirmation' })
  await dialog.getByLabel('Answer (JSON)').fill('{ "confirmed": tru }')
  await expect(dialog).toContainText('Line 1, column 16: tru is not a JSON value.')
  await dialog.getByLabel('Answer (JSON)').fill('{ "confirmed": true }')
  await dialog.getByRole('button', { name: 'Send manager_confirmation' }).click()
  await expect(dialog.getByRole('alert', { name: 'It is unknown whether it was done.' })).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Send manager_confirmation' }).click()
  await expect(dialog).toContainText('This answer was already accepted and was not recorded twice.')
  expect(keys).toHaveLength(2)
  expect(keys[0]).toBe(keys[1])
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Close' }).last().click()

  await expect(waits).toContainText('Satisfied')
  const answers = page.getByRole('table', { name: 'Answers and their delivery' })
  await expect(answers).toContainText('Delivered')
  await expect(answers).toContainText('Applied')
  await expectAccessible(page)
  await page.getByRole('navigation', { name: 'Views of the execution' }).getByRole('link', { name: 'Inputs' }).click()
  const inbox = page.getByRole('table', { name: 'Input events' })
  await expect(inbox.locator('tbody tr')).toHaveCount(1)
  for (const words of ['Accepted', 'Matched', 'Delivered', 'Applied', 'Omar Haddad'])
    await expect(inbox).toContainText(words)
  await expectAccessible(page)
})

test('a wait is canceled by keyboard with a reason, and the execution shows it', async ({ signedIn, origin }) => {
  const { executionId } = await waitingInput(origin)
  const page = await signedIn('omar')
  await page.goto(`/t/${externalId()}/executions/${executionId}?tab=waits`)
  const cancel = page.getByRole('button', { name: 'Cancel the wait' })
  await cancel.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Cancel the wait for manager_confirmation?' })
  await expect(dialog).toContainText('A closed wait can’t be reopened.')
  await expect(dialog.getByText('Enter a reason.')).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(cancel).toBeFocused()
  await page.keyboard.press('Enter')
  await dialog.getByLabel('Reason').fill('The order was returned.')
  await dialog.getByRole('button', { name: 'Cancel the wait' }).click()
  await expect(page.getByRole('region', { name: 'Waits' })).toContainText('Canceled')
  await expect(page.getByRole('button', { name: 'Cancel the wait' })).toHaveCount(0)
  await page.goto(`/t/${externalId()}/executions/${executionId}`)
  await expect(page.getByRole('alert', { name: 'The execution was canceled.' })).toBeVisible()
  await expectAccessible(page)
})

test('canceling an execution that waits for approval records a reason and two times, and withdraws the request', async ({
  signedIn,
  origin,
}) => {
  const { executionId, approvalId } = await waitingRefund(origin)
  const page = await signedIn('omar')
  await page.goto(`/t/${externalId()}/executions/${executionId}`)
  await page.getByRole('button', { name: 'Cancel the execution' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel this execution?' })
  await expect(dialog).toContainText('The approval request is withdrawn, and the call is not made.')
  await dialog.getByLabel('Reason').fill('Asked for by mistake.')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Cancel the execution' }).click()
  await expect(page.getByRole('alert', { name: 'The execution was canceled.' })).toContainText('Asked for by mistake.')
  const times = page.getByRole('region', { name: 'Times' })
  await expect(times).toContainText('Stop requested')
  await expect(times).toContainText('Confirmed')
  const steps = page.getByRole('region', { name: 'Steps' })
  await expect(steps).toContainText('Not carried out')
  await expect(steps).not.toContainText('Waiting')
  await expect(page.getByRole('button', { name: 'Cancel the execution' })).toHaveCount(0)
  await expectAccessible(page)
  const jonas = await personToken(origin, 'jonas')
  expect(await call(origin, jonas, 'query', 'approvals.get', { approvalId })).toMatchObject({ status: 'canceled' })
  await page.goto(`/t/${externalId()}/approvals/${approvalId}`)
  const end = page.getByRole('region', { name: 'How it ended' })
  await expect(end).toContainText('It was canceled by Omar Haddad')
  await expect(end).toContainText('Asked for by mistake.')
  await expect(end).not.toContainText('can’t be undone')
  await expect(page.getByRole('region', { name: 'Not decided' })).toBeVisible()
  await expect(page.getByText('This was checked at the time of the decision.')).toHaveCount(0)
})

test('a stop during a refund can’t be confirmed, and the page shows the outcome as unknown', async ({
  signedIn,
  origin,
}) => {
  const gate = hold('issue_refund')
  try {
    const { executionId, approvalId } = await waitingRefund(origin)
    await decideAs(origin, 'jonas', approvalId, 'approve', 'Order checked.')
    await expect.poll(() => wasCalled(`${executionId}:refund`)).toBe(true)
    const omar = await personToken(origin, 'omar')
    // The execution continues between the two calls.
    await expect(async () => {
      const { revision } = await call<{ revision: number }>(origin, omar, 'query', 'executions.get', {
        id: executionId,
      })
      const cancel = { id: executionId, expectedRevision: revision, reason: 'The order was withdrawn.' }
      await call(origin, omar, 'mutation', 'executions.cancel', cancel)
    }).toPass({ timeout: 30_000 })
    const page = await signedIn('omar')
    await page.goto(`/t/${externalId()}/executions/${executionId}`)
    const panel = page.getByRole('alert', { name: 'It is unknown whether the last call took effect.' })
    await expect(panel).toContainText('It was not repeated, because repeating it could do it twice.')
    const times = page.getByRole('region', { name: 'Times' })
    await expect(times).toContainText('Stop requested')
    await expect(times).toContainText('Can’t be confirmed')
    await expect(page.getByRole('button', { name: 'Cancel the execution' })).toHaveCount(0)
    await expectAccessible(page)
  } finally {
    gate.open()
  }
})

test('a person who may send input but not read it is shown so, and records require their permission', async ({
  signedIn,
  origin,
}) => {
  const { executionId } = await waitingInput(origin)
  const page = await signedIn('maria')
  const path = `/t/${externalId()}/executions/${executionId}`
  await page.goto(`${path}?tab=waits`)
  await expect(page.getByText('You don’t have permission to see waits and their answers.')).toBeVisible()
  const asked = page.getByRole('region', { name: 'Requested inputs' })
  await expect(asked.getByRole('button', { name: 'Send manager_confirmation' })).toBeVisible()
  await expectAccessible(page)
  await page.goto(`${path}?tab=inputs`)
  await expect(page.getByText('You don’t have permission to see the input events of executions.')).toBeVisible()
  await expectAccessible(page)
  await page.goto(`${path}?tab=evidence`)
  await expect(page.getByText('You don’t have permission to see the audit log.')).toBeVisible()
  await expectAccessible(page)
})
