import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { home, waitingRefund } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { expect, test } from './fixtures.ts'

test('an administrator adds a webhook, sees why a test was not delivered, and removes it', async ({
  signedIn,
  troubles,
}) => {
  troubles.expect(/status of 400/)
  let status = 503
  const receiver = createServer((_, response) => response.writeHead(status).end()).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const tom = await signedIn('tom')
  await tom.goto(`${home()}/settings/notifications`)
  await tom.getByRole('button', { name: 'Add a channel…' }).click()
  const dialog = tom.getByRole('dialog', { name: 'Add a channel' })
  await expect(dialog.getByRole('button', { name: 'Add the channel' })).toHaveAttribute('aria-disabled', 'true')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Ticket system')
  await dialog.getByRole('textbox', { name: 'Address' }).fill('https://169.254.169.254/hook')
  await dialog.getByRole('checkbox', { name: 'An alarm is raised' }).check()
  await dialog.getByRole('button', { name: 'Add the channel' }).click()
  await expect(dialog).toContainText('does not resolve to a public address')
  const { port } = receiver.address() as AddressInfo
  await dialog.getByRole('textbox', { name: 'Address' }).fill(`http://127.0.0.1:${port}/hook`)
  await dialog.getByRole('button', { name: 'Add the channel' }).click()
  const secret = tom.getByRole('dialog', { name: 'The secret of the webhook' })
  await expect(secret).toContainText('whsec_')
  await secret.getByRole('checkbox', { name: 'I stored the secret' }).check()
  await secret.getByRole('button', { name: 'Done' }).click()

  await tom.getByRole('button', { name: 'Send a test Ticket system' }).click()
  const channel = tom.getByRole('table', { name: 'Channels' }).getByRole('row', { name: 'Ticket system' })
  await expect(channel).toContainText('Does not deliver')
  await expect(channel).toContainText('The last message has not arrived, since')
  await expect(channel).toContainText('The address answered 503.')
  await expectEveryView(tom, 'notifications-failing')
  status = 410
  await tom.getByRole('button', { name: 'Send a test Ticket system' }).click()
  const messages = tom.getByRole('table', { name: 'Last messages' })
  // By itself: the worker's outcome is on the page as soon as it is stored.
  await expect(messages).toContainText('The address answered 410.')
  await expect(messages.getByRole('button', { name: /^Send again/ })).toBeVisible()
  await expectEveryView(tom, 'notifications')

  await tom.getByRole('button', { name: 'Remove… Ticket system' }).click()
  const remove = tom.getByRole('dialog', { name: 'Remove Ticket system' })
  await remove.getByRole('textbox', { name: 'Reason' }).fill('Another system replaces it.')
  await remove.getByRole('button', { name: 'Remove the channel' }).click()
  await expect(tom.getByText('No channels.')).toBeVisible()
  receiver.close()
})

/** As a person does in the settings of the browser. */
async function blockNotices(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { targetInfo } = await session.send('Target.getTargetInfo')
  const { browserContextId } = targetInfo
  await session.send('Browser.setPermission', {
    permission: { name: 'notifications' },
    setting: 'denied',
    ...(browserContextId === undefined ? {} : { browserContextId }),
  })
}

test('Jonas sees no channels, and learns why a browser that blocks notices shows none', async ({ signedIn }) => {
  const jonas = await signedIn('jonas')
  await blockNotices(jonas)
  await jonas.goto(`${home()}/settings/notifications`)
  await expect(jonas.getByText('see the organisation’s channels')).toBeVisible()
  await expect(jonas.getByRole('checkbox', { name: /^Show a notice/ })).toHaveAttribute('aria-disabled', 'true')
  await expect(jonas.getByText('This browser blocks notices of this site.')).toBeVisible()
})

test('a new request shows a notice while the page is in the background', async ({ signedIn, origin }) => {
  const jonas = await signedIn('jonas')
  // In place of the browser's notices, which it can't show without a window.
  await jonas.addInitScript(() => {
    class Notice extends EventTarget {
      static permission = localStorage.getItem('permission') ?? 'default'
      static requestPermission() {
        localStorage.setItem('permission', 'granted')
        Notice.permission = 'granted'
        return Promise.resolve('granted')
      }
      constructor(title: string) {
        super()
        document.documentElement.dataset.notice = title
      }
    }
    Object.defineProperty(window, 'Notification', { value: Notice })
  })
  await jonas.goto(`${home()}/settings/notifications`)
  const notices = jonas.getByRole('checkbox', { name: /^Show a notice/ })
  await expect(notices).not.toBeChecked()
  await notices.check()
  await expect(notices).toBeChecked()
  await jonas.reload()
  await expect(notices).toBeChecked()

  await jonas
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /^Approvals/ })
    .click()
  const shown = jonas.locator('html')
  const seen = await waitingRefund(origin)
  await expect(jonas.locator(`main a[href*="${seen.approvalId}"]`)).toBeVisible()
  await expect(shown).not.toHaveAttribute('data-notice')
  await jonas.evaluate(() => Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' }))
  await waitingRefund(origin)
  await expect(shown).toHaveAttribute('data-notice', /refund/i)
})
