import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { home } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { expect, test } from './fixtures.ts'

test('an administrator adds a webhook, sees why a test was not delivered, and removes it', async ({ signedIn }) => {
  // Loopback addresses are refused: the receiver must never be called.
  let called = 0
  const receiver = createServer((_request, response) => {
    called += 1
    response.end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo
  const tom = await signedIn('tom')
  await tom.goto(`${home()}/settings/notifications`)
  await tom.getByRole('button', { name: 'Add a channel…' }).click()
  const dialog = tom.getByRole('dialog', { name: 'Add a channel' })
  await expect(dialog.getByRole('button', { name: 'Add the channel' })).toHaveAttribute('aria-disabled', 'true')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Ticket system')
  await dialog.getByRole('textbox', { name: 'Address' }).fill(`https://127.0.0.1:${port}/hook`)
  await dialog.getByRole('checkbox', { name: 'An alarm is raised' }).check()
  await dialog.getByRole('button', { name: 'Add the channel' }).click()
  const secret = tom.getByRole('dialog', { name: 'The secret of the webhook' })
  await expect(secret).toContainText('whsec_')
  await secret.getByRole('checkbox', { name: 'I stored the secret' }).check()
  await secret.getByRole('button', { name: 'Done' }).click()

  await tom.getByRole('button', { name: 'Send a test Ticket system' }).click()
  const messages = tom.getByRole('table', { name: 'Last messages' })
  await expect(async () => {
    await tom.getByRole('button', { name: 'Reload' }).click()
    await expect(messages).toContainText('does not resolve to a public address', { timeout: 500 })
  }).toPass()
  await expect(messages.getByRole('button', { name: /^Send again/ })).toBeVisible()
  expect(called).toBe(0)
  await expectEveryView(tom, 'notifications')

  await tom.getByRole('button', { name: 'Remove… Ticket system' }).click()
  const remove = tom.getByRole('dialog', { name: 'Remove Ticket system' })
  await remove.getByRole('textbox', { name: 'Reason' }).fill('Another system replaces it.')
  await remove.getByRole('button', { name: 'Remove the channel' }).click()
  await expect(tom.getByText('No channels.')).toBeVisible()
  receiver.close()
})

test('Jonas sees no channels, and can turn on notices in his browser', async ({ signedIn }) => {
  const jonas = await signedIn('jonas')
  await jonas.context().grantPermissions(['notifications'])
  await jonas.goto(`${home()}/settings/notifications`)
  await expect(jonas.getByText('see the organisation’s channels')).toBeVisible()
  const notices = jonas.getByRole('checkbox', { name: /^Show a notice/ })
  await expect(notices).not.toBeChecked()
  await notices.check()
  await expect(notices).toBeChecked()
  await jonas.reload()
  await expect(notices).toBeChecked()
})
