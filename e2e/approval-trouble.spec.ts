import type { Page } from '@playwright/test'
import { address, approveButton, choice, fillIn, open, rail, reason } from './approval-page.ts'
import { call, personToken, type RefundCase, waitingRefund } from './cases.ts'
import { expect, expectAccessible, test } from './fixtures.ts'

// A decision whose response is lost, refused or late, and a request that changes while it is open.

type SignedIn = (username: string) => Promise<Page>

/** The page of a new refund, with an approval that is filled in and not yet sent. */
async function drafted(signedIn: SignedIn, origin: string): Promise<Page> {
  const page = await open(await signedIn('jonas'), await waitingRefund(origin))
  await fillIn(page)
  return page
}

const reads = /\/v1\/[^?]*approvals\.get\b/

/** The approvals that the page reads from now on are changed as text before they arrive. */
const changeReads = (page: Page, change: (text: string) => string) =>
  page.route(reads, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: change(await response.text()) })
  })

/** In a page, before its script: adds `hold`, which says whether work that React has scheduled through a message channel waits. */
function holdable(): void {
  const { postMessage } = MessagePort.prototype
  const held: (() => void)[] = []
  let holding = false
  MessagePort.prototype.postMessage = function post(this: MessagePort, message: unknown) {
    if (holding) held.push(() => postMessage.call(this, message))
    else postMessage.call(this, message)
  }
  Object.assign(window, {
    hold(on: boolean) {
      holding = on
      if (!on) for (const send of held.splice(0)) send()
    },
  })
}

test('nothing can be decided on a page that shows other arguments than those that would run', async ({
  signedIn,
  origin,
}) => {
  const refund = await waitingRefund(origin)
  const page = await signedIn('jonas')
  await changeReads(page, (text) => text.replaceAll('C-20418', 'C-20419'))
  await page.goto(address(refund))
  const effects = page.getByRole('region', { name: 'If you approve' })
  await expect(effects.getByRole('alert')).toContainText('This page does not show what would run')
  await fillIn(page)
  await expect(approveButton(page)).toHaveAttribute('aria-disabled', 'true')
  await expect(rail(page)).toContainText('This page does not show what would run: its digest differs.')
  await expectAccessible(page)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.reload()
  await expect(effects).toContainText('the same in this browser')
  await expect(effects.getByRole('alert')).toHaveCount(0)
})

test('after a lost response the outcome is unknown until the page finds the recorded decision', async ({
  signedIn,
  origin,
  troubles,
}) => {
  troubles.expect(/Failed to load resource/)
  const page = await drafted(signedIn, origin)
  let lost = 0
  await page.route('**/v1/approvals.decide', async (route) => {
    lost += 1
    await route.fetch()
    await route.abort('connectionreset')
  })
  let holdReads = true
  await page.route(reads, async (route) => (holdReads ? await route.abort('failed') : await route.continue()))
  await approveButton(page).click()
  await expect(rail(page)).toContainText('Outcome unknown. Checking…')
  await expect(reason(page)).not.toBeEditable()
  await expectAccessible(page)
  holdReads = false
  await expect(rail(page)).toContainText('Recorded: approved.')
  expect(lost).toBe(1)
})

/** Opens a request whose first answer React can't draw yet, because its work is held. Returns what reads the request again. */
async function openUndrawn(page: Page, refund: RefundCase): Promise<() => Promise<void>> {
  await page.addInitScript(holdable)
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  await page.route(reads, async (route) => {
    asked.resolve()
    await answer.promise
    await route.continue()
  })
  await page.goto(address(refund))
  await asked.promise
  // React draws the first answer when it has time, which it does not have on a busy machine, and later ones with the next input.
  await page.evaluate('hold(true)')
  const first = page.waitForResponse(reads)
  answer.resolve()
  await first
  return async () => {
    const read = page.waitForResponse(reads)
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
    await read
  }
}

test('a page whose first drawing is still due sends a decision once', async ({ signedIn, origin }) => {
  const page = await signedIn('jonas')
  const readAgain = await openUndrawn(page, await waitingRefund(origin))
  await readAgain()
  await readAgain()
  await fillIn(page)
  let sent = 0
  const decided = Promise.withResolvers<void>()
  await page.route('**/v1/approvals.decide', async (route) => {
    sent += 1
    await decided.promise
    await route.continue()
  })
  await approveButton(page).click()
  await expect(page.getByRole('button', { name: 'Recording your decision…' })).toBeVisible()
  await readAgain()
  await readAgain()
  decided.resolve()
  await expect(rail(page)).toContainText('Recorded: approved.')
  await page.evaluate('hold(false)')
  await expect(rail(page)).toContainText('Recorded: approved.')
  expect(sent).toBe(1)
})

test('a page that was read again before its first drawing also draws what has a low priority', async ({
  signedIn,
  origin,
}) => {
  const refund = await waitingRefund(origin)
  const next = await waitingRefund(origin)
  const page = await signedIn('jonas')
  const readAgain = await openUndrawn(page, refund)
  await readAgain()
  await readAgain()
  await page.evaluate('hold(false)')
  // The neighbours in the list, and the page that a link leads to.
  const link = page.getByRole('link', { name: 'next', exact: true })
  await expect(link).toHaveAttribute('href', new RegExp(next.approvalId))
  await link.click()
  await expect(page).toHaveURL(new RegExp(next.approvalId))
})

test('after a lost request the form unlocks if the approval is still pending, and retries with the same key', async ({
  signedIn,
  origin,
  troubles,
}) => {
  troubles.expect(/Failed to load resource/)
  const page = await drafted(signedIn, origin)
  const keys: (string | undefined)[] = []
  await page.route('**/v1/approvals.decide', async (route) => {
    keys.push(route.request().headers()['idempotency-key'])
    if (keys.length === 1) await route.abort('connectionreset')
    else await route.continue()
  })
  await approveButton(page).click()
  await expect(rail(page)).toContainText('Your decision was not recorded.')
  await approveButton(page).click()
  await expect(rail(page)).toContainText('Recorded: approved.')
  expect(keys).toHaveLength(2)
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  expect(keys[1]).toBe(keys[0])
})

test('only one decision is in flight at a time, and the form is locked until it ends', async ({ signedIn, origin }) => {
  const page = await drafted(signedIn, origin)
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  let sent = 0
  await page.route('**/v1/approvals.decide', async (route) => {
    sent += 1
    await held
    await route.continue()
  })
  await approveButton(page).click()
  const busy = page.getByRole('button', { name: 'Recording your decision…' })
  await busy.click({ force: true })
  await reason(page).press('Control+Enter')
  await expect(choice(page, 'Reject')).toHaveAttribute('aria-disabled', 'true')
  await expect(reason(page)).not.toBeEditable()
  await expect(rail(page)).not.toContainText('Recorded')
  await expectAccessible(page)
  release()
  await expect(rail(page)).toContainText('Recorded: approved.')
  expect(sent).toBe(1)
})

test('offline, typed text stays and nothing can be sent', async ({ signedIn, origin, troubles }) => {
  troubles.expect(/ERR_INTERNET_DISCONNECTED/)
  const page = await drafted(signedIn, origin)
  await page.context().setOffline(true)
  await expect(rail(page)).toContainText('You are offline.')
  await expect(approveButton(page)).toHaveAttribute('aria-disabled', 'true')
  await expectAccessible(page)
  await page.context().setOffline(false)
  await expect(approveButton(page)).not.toHaveAttribute('aria-disabled', 'true')
  await expect(reason(page)).toHaveValue('Order and amount checked against the claim.')
})

test('after too many requests a countdown runs, then the same decision can be sent', async ({
  signedIn,
  origin,
  troubles,
}) => {
  troubles.expect(/429/)
  const page = await drafted(signedIn, origin)
  let answered = false
  await page.route('**/v1/approvals.decide', async (route) => {
    if (answered) return await route.continue()
    answered = true
    const data = {
      code: 'TOO_MANY_REQUESTS',
      httpStatus: 429,
      path: 'approvals.decide',
      requestId: 'r-1',
      reason: 'rate_limited',
      retryable: true,
    }
    await route.fulfill({
      status: 429,
      headers: { 'retry-after': '9', 'content-type': 'application/json' },
      body: JSON.stringify({ error: { json: { message: 'Too many requests.', code: -32029, data } } }),
    })
  })
  await approveButton(page).click()
  await expect(rail(page)).toContainText(/Try again in [1-9] s\./)
  await expectAccessible(page)
  await expect(approveButton(page)).not.toHaveAttribute('aria-disabled', 'true')
  await approveButton(page).click()
  await expect(rail(page)).toContainText('Recorded: approved.')
})

/** Commits a change that the server reports to pages with this request, and that leaves the request as it is: a mail is sent again. */
async function resendMail(origin: string, { approvalId }: RefundCase): Promise<void> {
  const omar = await personToken(origin, 'omar')
  type Mails = { items: { id: string; revision: number; delivery: string }[] }
  let failed: Mails['items'][number] | undefined
  // The server of these tests runs without SMTP_URL.
  await expect
    .poll(async () => {
      const { items } = await call<Mails>(origin, omar, 'query', 'approvals.mails.list', { approvalId })
      failed = items.find(({ delivery }) => delivery === 'failed')
      return failed
    })
    .toBeDefined()
  const input = { id: failed?.id, expectedRevision: failed?.revision, reason: 'Mail is set up now.' }
  await call(origin, omar, 'mutation', 'approvals.mails.retry', input)
}

/** `route.fetch` may send a request twice, and a DPoP proof is accepted once. The page then retries with a new proof. */
const sentTwice = /401 \(Unauthorized\) \(.*approvals\.get/

test('a request that expires while it is open shows it immediately, and keeps the typed text', async ({
  signedIn,
  origin,
  troubles,
}) => {
  troubles.expect(sentTwice)
  const refund = await waitingRefund(origin)
  const page = await signedIn('jonas')
  let expiresAt: string | undefined
  await changeReads(page, (text) =>
    expiresAt === undefined ? text : text.replaceAll(/"expiresAt":"[^"]+"/g, `"expiresAt":"${expiresAt}"`),
  )
  await page.goto(address(refund))
  await choice(page, 'Approve').check()
  await reason(page).fill('Too slow')
  const place = page.getByRole('main').getByText(/^\d+ of \d+$/)
  await expect(place).toBeVisible()
  // The page requests the approval again, and the response states that it expires soon.
  expiresAt = new Date(Date.now() + 3_000).toISOString()
  await resendMail(origin, refund)
  await expect(rail(page)).toContainText('This request has expired.')
  await expect(reason(page)).toHaveValue('Too slow')
  // A request that has expired has left the list, and its place there.
  await expect(place).toBeHidden()
  await expectAccessible(page)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('a changed payload is shown as a difference, and must be reviewed again', async ({
  signedIn,
  origin,
  troubles,
}) => {
  troubles.expect(sentTwice)
  const refund = await waitingRefund(origin)
  const page = await signedIn('jonas')
  let changed = false
  await changeReads(page, (text) => {
    if (!changed) return text
    const other = text.replaceAll('"value":"4200.00"', '"value":"9900.00"')
    return other.replaceAll(/sha256:[0-9a-f]{64}/g, `sha256:${'ab'.repeat(32)}`)
  })
  await page.goto(address(refund))
  await fillIn(page)
  changed = true
  await resendMail(origin, refund)
  await expect(rail(page)).toContainText('The payload has changed.')
  await expect(rail(page)).toContainText('9900.00')
  await expect(page.getByRole('region', { name: 'Arguments' })).toContainText('4200.00')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Review the current request' }).click()
  await expect(page.getByRole('region', { name: 'Arguments' })).toContainText('9900.00')
  await expect(page.getByRole('checkbox')).not.toBeChecked()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})
