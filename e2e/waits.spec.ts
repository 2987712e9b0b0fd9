import { call, externalId, personToken, waitingRefund } from './cases.ts'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'
import { askingManifest, releasedAgent, startAs } from './own-agent.ts'

// The server of these tests runs without SMTP_URL, so each mail fails immediately with the reason.

async function askingExecution(origin: string): Promise<{ agentId: string; executionId: string }> {
  const agentId = await releasedAgent(origin, askingManifest(`e2e-asks-${Date.now()}`, 'jonas@northwind.example'))
  const executionId = await startAs(origin, agentId)
  const omar = await personToken(origin, 'omar')
  await expect
    .poll(
      async () =>
        (await call<{ items: unknown[] }>(origin, omar, 'query', 'executions.inputResolutions.list', { executionId }))
          .items,
    )
    .toHaveLength(1)
  return { agentId, executionId }
}

test('a wait shows who was notified by mail and that the mail failed, and Omar sends it again with a reason', async ({
  page,
  origin,
}) => {
  const { executionId } = await askingExecution(origin)
  await signIn(page, 'omar')
  await page.goto(`/t/${externalId()}/executions/${executionId}?tab=waits`)
  const waits = page.getByRole('region', { name: 'Waits' })
  await expect(waits).toContainText('Notified by mail: jonas@northwind.example')
  await expect(waits).toContainText('Failed')
  await expect(waits).toContainText('Mail is not set up on this server (SMTP_URL).')
  await expectAccessible(page)
  await waits.getByRole('button', { name: 'Send again' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send confirmation again?' })
  await expect(dialog).toContainText('The first delivery failed')
  await dialog.getByLabel('Reason').fill('Mail is set up now.')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await expect(dialog).toBeHidden()
  // The second attempt fails for the same reason.
  const omar = await personToken(origin, 'omar')
  await expect
    .poll(async () => {
      const { items } = await call<{ items: { attempts: number; delivery: string }[] }>(
        origin,
        omar,
        'query',
        'executions.inputResolutions.list',
        { executionId },
      )
      return items.map(({ attempts, delivery }) => `${delivery} ${attempts}`)
    })
    .toEqual(['failed 2'])
  await expect(waits.getByRole('button', { name: 'Send again' })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Answers and their delivery' })).toContainText('jonas@northwind.example')
})

test('a late retry is refused, and the refusal stays visible after the wait has ended', async ({
  page,
  origin,
  troubles,
}) => {
  troubles.expect(/status of 409/)
  const { executionId } = await askingExecution(origin)
  await signIn(page, 'omar')
  await page.goto(`/t/${externalId()}/executions/${executionId}?tab=waits`)
  const waits = page.getByRole('region', { name: 'Waits' })
  await waits.getByRole('button', { name: 'Send again' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send confirmation again?' })
  await dialog.getByLabel('Reason').fill('Nothing came.')
  // In the meantime, another person closes the wait.
  const omar = await personToken(origin, 'omar')
  const { items } = await call<{ items: { id: string; revision: number }[] }>(
    origin,
    omar,
    'query',
    'executions.inputWaits.list',
    { executionId },
  )
  const [wait] = items
  const cancel = { id: wait?.id, expectedRevision: wait?.revision, reason: 'Not needed any more.' }
  await page.route('**/executions.inputResolutions.retry*', async (route) => {
    await call(origin, omar, 'mutation', 'executions.inputWaits.cancel', cancel)
    await route.continue()
  })
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await expect(dialog.getByRole('alert', { name: 'It was not sent again.' })).toBeVisible()
  // Content behind an open dialog is hidden from screen readers.
  await expect(page.getByRole('region', { name: 'Waits', includeHidden: true })).toContainText('Canceled')
  await expect(dialog.getByRole('alert', { name: 'It was not sent again.' })).toBeVisible()
})

test('the wait of a suspended agent is parked, and its time limit is paused until the agent is resumed', async ({
  page,
  origin,
}) => {
  const { agentId, executionId } = await askingExecution(origin)
  const omar = await personToken(origin, 'omar')
  const operate = async (act: 'suspend' | 'resume') => {
    const { revision } = await call<{ revision: number }>(origin, omar, 'query', 'agents.get', { id: agentId })
    const input = { id: agentId, expectedRevision: revision, reason: 'Only to be tried out.' }
    await call(origin, omar, 'mutation', `agents.${act}`, input)
  }
  await operate('suspend')
  await signIn(page, 'omar')
  await page.goto(`/t/${externalId()}/executions/${executionId}?tab=waits`)
  const waits = page.getByRole('region', { name: 'Waits' })
  await expect(waits).toContainText('Its deadline has been paused since')
  await expect(waits).toContainText('because the agent is suspended')
  await expectAccessible(page)
  await operate('resume')
  await expect(waits).not.toContainText('Its deadline has been paused since')
  await expect(waits).toContainText('1 open')
})

test('the page of a request shows who was notified by mail, and an operator sends a mail again', async ({
  page,
  origin,
}) => {
  const { approvalId } = await waitingRefund(origin)
  await signIn(page, 'omar')
  await page.goto(`/t/${externalId()}/approvals/${approvalId}`)
  const reasons = page.getByRole('region', { name: /^Why this needs/ })
  await expect(reasons).toContainText('Notified by mail')
  await expect(reasons).toContainText('Mail is not set up on this server (SMTP_URL).')
  await expectAccessible(page)
  await reasons.getByRole('button', { name: 'Notify Jonas Berg again' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send the mail to Jonas Berg again?' })
  await dialog.getByLabel('Reason').fill('He asks for it.')
  await dialog.getByRole('button', { name: 'Notify Jonas Berg again' }).click()
  await expect(dialog).toBeHidden()
  const omar = await personToken(origin, 'omar')
  await expect
    .poll(async () => {
      const { items } = await call<{ items: { to: { username: string }; attempts: number; delivery: string }[] }>(
        origin,
        omar,
        'query',
        'approvals.mails.list',
        { approvalId },
      )
      const mail = items.find(({ to }) => to.username === 'jonas')
      return `${mail?.delivery} ${mail?.attempts}`
    })
    .toBe('failed 1')
  await expect(reasons.getByRole('button', { name: 'Notify Jonas Berg again' })).toBeVisible()
})
