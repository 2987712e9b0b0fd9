import type { Page } from '@playwright/test'
import { address, choice, fillIn, rail } from './approval-page.ts'
import { home, waitingRefund } from './cases.ts'
import { expect, expectAccessible, test } from './fixtures.ts'

// Tools, agents, runs and people have names that strangers wrote: no character of them is hidden, or passes for another one.
// The answers are rewritten, because the demo's tools have honest names.

const [override, zeroWidth, cyrillicE] = ['\u202e', '\u200b', '\u0435']

/** Changes values of the answers by their key before the page reads them. */
const rewrite = (page: Page, operation: string, change: (key: string, value: unknown) => unknown) =>
  page.route(new RegExp(`/v1/[^?]*approvals\\.${operation}\\b`), async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: JSON.stringify(JSON.parse(await response.text(), change)) })
  })

/** What is on the page, with its labels and titles for assistive technology. */
const everyText = (page: Page) =>
  page.evaluate(() => {
    const main = document.body
    const named = [...main.querySelectorAll('[aria-label], [title]')]
    return [
      main.innerText,
      ...[...main.querySelectorAll('option')].map(({ text }) => text),
      ...named.flatMap((one) => [one.getAttribute('aria-label'), one.getAttribute('title')]),
    ].join('\n')
  })

const hostile = (key: string, value: unknown): unknown => {
  if (key === 'displayName' && value === 'Maria Köhler') return `Maria${zeroWidth} Köhler`
  if (key === 'title' && typeof value === 'string') return `${override}${value}`
  if (key !== 'presentation' || typeof value !== 'object') return value
  return {
    ...value,
    effectLabel: `ref${zeroWidth}und${override} of €4,200.00`,
    onReject: `The call is not mad${cyrillicE}.`,
    onEscalate: `The escalation group${zeroWidth} decides.`,
    card: {
      title: `Claim${override}`,
      facts: [{ label: `Custom${cyrillicE}r`, value: `Elif${zeroWidth}`, from: [`or${zeroWidth}der`] }],
      links: [{ label: `Ord${cyrillicE}r`, url: 'https://shop.example/', host: `shop.${cyrillicE}xample` }],
    },
  }
}

test('hidden and look-alike characters are marked wherever the page of a request shows them', async ({
  signedIn,
  origin,
}) => {
  const page = await signedIn('jonas')
  await rewrite(page, 'get', hostile)
  await page.goto(address(await waitingRefund(origin)))
  const theCase = page.getByRole('region', { name: /^The case/ })
  for (const text of [
    `Custom${cyrillicE} U+0435r`,
    'ElifU+200B',
    'orU+200Bder',
    'ClaimU+202E',
    `shop.${cyrillicE} U+0435xample`,
  ])
    await expect(theCase).toContainText(text)
  const consequence = rail(page).getByRole('group', { name: 'Decision', exact: true })
  await expect(consequence).toContainText('The refU+200BundU+202E of €4,200.00 goes ahead')
  await expect(consequence).toContainText(`mad${cyrillicE} U+0435`)
  await fillIn(page)
  await expect(rail(page).getByRole('button', { name: /^Approve refU\+200BundU\+202E of/ })).toBeVisible()
  await expect(
    rail(page).getByRole('checkbox', { name: /the refU\+200BundU\+202E of €4,200.00 can’t be/ }),
  ).toBeChecked()
  for (const name of ['Reject', 'Escalate'] as const) {
    await choice(page, name).check()
    await expect(rail(page).getByRole('button', { name: /refU\+200BundU\+202E of/ })).toBeVisible()
  }
  await page.getByRole('button', { name: /^Ask MariaU\+200B Köhler…/ }).click()
  await expect(page.getByRole('textbox', { name: 'Your question to MariaU+200B Köhler' })).toBeVisible()
  await page.getByRole('button', { name: 'Request changes…' }).click()
  await expect(page.getByText('MariaU+200B Köhler can then propose')).toBeVisible()
  await expectAccessible(page)
  expect(await everyText(page)).not.toMatch(/[\u202e\u200b]/)
})

test('and in the inbox, with its filters and labels', async ({ signedIn, origin }) => {
  await waitingRefund(origin)
  const { approvalId } = await waitingRefund(origin)
  const page = await signedIn('jonas')
  await rewrite(page, 'getPending', (key, value) => {
    if (key === 'title') return `${override}${value}`
    // One of them, whichever response has it: calls of the same moment share one.
    const isOne = typeof value === 'object' && value !== null && Reflect.get(value, 'approvalId') === approvalId
    return isOne ? { ...value, agentName: `Refund${zeroWidth} assistant` } : value
  })
  await page.goto(`${home()}/approvals?view=all`)
  await expect(page.getByRole('combobox', { name: 'Agent' })).toContainText('Refund[U+200B] assistant')
  await expect(page.getByRole('table', { name: 'Approvals' })).toContainText('U+202E')
  await expectAccessible(page)
  expect(await everyText(page)).not.toMatch(/[\u202e\u200b]/)
})
