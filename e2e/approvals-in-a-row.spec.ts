import type { Page } from '@playwright/test'
import { sized } from '#server/testing/properties/counts.ts'
import { choice, rail } from './approval-page.ts'
import { requestedRefund } from './approval-states/state.ts'
import { call, home, personToken } from './cases.ts'
import { countCases } from './counts.ts'
import { expect, test } from './fixtures.ts'
import { refundManifest, releasedAgent } from './own-agent.ts'

// A reviewer with two hundred requests decides them one after the other by keyboard; in npm test, a few.

const count = sized(200, 4)
/** Elements in a row of the inbox, so that a list of 200 stays light. */
const mostInRow = 60
/** To open the first request, and then for each: choose, leave the reason, acknowledge, send, open the next. */
const keys = { toBegin: 2, forEach: 5 }

type Listed = { approvalId: string; kind: string; agentName: string | null; status: string; auditId: string | null }

test(`${count} requests in a row are decided by keyboard alone`, async ({ signedIn, origin }) => {
  test.setTimeout(120_000 + count * 10_000)
  const name = `e2e-row-${Date.now()}`
  const agentId = await releasedAgent(origin, refundManifest(name))
  const asked: string[] = []
  for (let number = 1; number <= count; number++)
    asked.push((await requestedRefund(origin, agentId, `R-${number}`)).approvalId)

  const page = await signedIn('jonas')
  await page.addInitScript(() => {
    addEventListener('pointerdown', () => document.documentElement.setAttribute('data-pointer', 'used'), true)
  })
  await page.goto(`${home()}/approvals?agent=${name}`)
  const rows = page.locator('tr:has(th[scope="row"])')
  await expect(rows).toHaveCount(count)
  await expectLightList(page)

  let pressed = 0
  const press = async (key: string) => {
    pressed += 1
    await page.keyboard.press(key)
  }
  await press('j')
  await press('Enter')
  for (let left = count; left > 0; left--) {
    await expect(choice(page, 'Approve')).toBeEnabled()
    const approves = left % 2 === 0
    await press(approves ? 'a' : 'r')
    await page.keyboard.type('Checked.')
    await press('Tab')
    await press('Space')
    await press('Control+Enter')
    await expect(rail(page)).toContainText(approves ? 'Recorded: approved.' : 'Recorded: rejected.')
    const next = rail(page).getByRole('link', { name: left === 1 ? 'Back to the approvals' : `of ${left - 1})` })
    await expect(next).toBeFocused()
    const address = page.url()
    await press('Enter')
    await expect(page).not.toHaveURL(address)
  }
  await expect(page.getByRole('heading', { level: 1, name: 'Approvals' })).toBeVisible()
  await expect(rows.filter({ hasText: name })).toHaveCount(0)
  expect(pressed).toBe(keys.toBegin + keys.forEach * count)
  await expect(page.locator('html')).not.toHaveAttribute('data-pointer')

  const decided = await decidedOf(origin, name)
  expect(decided.map(({ approvalId }) => approvalId).sort()).toEqual(asked.sort())
  expect(new Set(decided.map(({ auditId }) => auditId)).size).toBe(count)
  expect(decided.filter(({ status }) => status === 'approved')).toHaveLength(Math.floor(count / 2))
  expect(decided.filter(({ status }) => status === 'rejected')).toHaveLength(Math.ceil(count / 2))
  countCases(count)
})

/** Expects that scrolling changes nothing in the list, so that the browser does it by itself, and that a row has few elements. */
async function expectLightList(page: Page): Promise<void> {
  // What the page still loads changes the list for a while.
  await expect.poll(() => page.evaluate(changesWhileScrolling)).toBe(0)
  const sizes = await page.evaluate(() =>
    [...document.querySelectorAll('tr')].map((row) => row.querySelectorAll('*').length),
  )
  expect(Math.max(...sizes)).toBeLessThanOrEqual(mostInRow)
}

/** In the page. */
async function changesWhileScrolling(): Promise<number> {
  const table = document.querySelector('table')
  if (table === null) throw new Error('The list was not found.')
  let changed = 0
  const observer = new MutationObserver((records) => {
    changed += records.length
  })
  observer.observe(table, { subtree: true, childList: true, attributes: true })
  for (let frame = 0; frame < 60; frame++) {
    scrollBy(0, 100)
    await new Promise(requestAnimationFrame)
  }
  scrollTo(0, 0)
  observer.disconnect()
  return changed
}

/** The decided calls of an agent. */
async function decidedOf(origin: string, name: string): Promise<Listed[]> {
  const token = await personToken(origin, 'jonas')
  const found: Listed[] = []
  let cursor: string | undefined
  do {
    const page = await call<{ items: Listed[]; nextCursor: string | null }>(origin, token, 'query', 'approvals.list', {
      view: 'decided',
      limit: 100,
      ...(cursor !== undefined && { cursor }),
    })
    found.push(...page.items.filter(({ kind, agentName }) => kind === 'external_call' && agentName === name))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && found.length < count)
  return found
}
