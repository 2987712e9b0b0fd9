import type { Route } from '@playwright/test'
import { address, rail, reason } from './approval-page.ts'
import { call, decideAs, personToken } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { expect, test } from './fixtures.ts'
import { releasedAgent, startAs } from './own-agent.ts'

/** A call that two groups decide, and that fails: the order does not exist. */
const twoStages = (name: string): string => `metadata:
  name: ${name}
spec:
  runtime:
    steps:
      - { id: order, tool: { server: payments, name: lookup_order, arguments: { id: Z-404 } } }
  tools:
    - mcp: { server: payments }
      allow: [lookup_order]
      requireApproval: [lookup_order]
  governance:
    approvals:
      stages: [{ group: refund-approvers, quorum: 1 }, { group: change-approvers, quorum: 1 }]
      expiresAfter: P7D
`

const title = 'Look up order for Z-404'

/** Starts an execution of such an agent. Returns the id of its request. */
async function waitingInStages(origin: string, name: string): Promise<string> {
  await startAs(origin, await releasedAgent(origin, twoStages(name)))
  type Pending = { items: { approvalId: string; agentName: string | null }[] }
  const find = async () => {
    const token = await personToken(origin, 'jonas')
    const { items } = await call<Pending>(origin, token, 'query', 'approvals.getPending', { view: 'all', limit: 100 })
    return items.find(({ agentName }) => agentName === name)?.approvalId
  }
  await expect.poll(find).toBeDefined()
  return (await find()) ?? ''
}

test('after two stages, the page names the stage of each vote, and says that the approved call failed', async ({
  signedIn,
  origin,
}) => {
  const approvalId = await waitingInStages(origin, 'two-stages')
  const page = await signedIn('anna')
  await page.goto(address({ approvalId }))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title)
  // The rule comes from the manifest, not from a version of a policy.
  const why = page.getByRole('region', { name: 'Why this needs you' })
  await expect(why).toContainText(/manifest of two-stages [^\s,]+, rule payments\/lookup_order/)
  await decideAs(origin, 'jonas', approvalId, 'approve', 'The first of two.')
  await expect(why).toContainText('The first of two.')
  await rail(page)
    .getByRole('radio', { name: /^Approve/ })
    .click()
  await expect(reason(page)).toBeFocused()
  await page.keyboard.type('The second of two.')
  await rail(page).getByRole('checkbox').check()
  await rail(page)
    .getByRole('button', { name: /^Approve order/ })
    .click()
  await expect(rail(page)).toContainText('Recorded: approved.')

  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Approved, but it failed: ${title}`)
  const effects = page.getByRole('region', { name: /^What was approved/ })
  await expect(effects).toContainText('payments.lookup_order was called once')
  // What would have followed did not.
  await expect(effects).toContainText('The execution then ends.')
  await expect(page.getByRole('region', { name: 'What became of it' })).toContainText('It failed')
  const votes = page.getByRole('table', { name: 'Votes' })
  await expect(votes.getByRole('row', { name: /Jonas Berg/ })).toContainText('1 of 2: Refund approvers')
  await expect(votes.getByRole('row', { name: /Anna Ruiz/ })).toContainText('2 of 2: Change approvers')
  await expectEveryView(page, 'after-decision')
})

/** Passes a response on, as the server would have given it a moment earlier. */
async function passOn(route: Route, text: (body: string) => string): Promise<void> {
  const response = await route.fetch()
  const { 'content-encoding': _encoding, 'content-length': _length, etag: _etag, ...headers } = response.headers()
  await route.fulfill({ status: response.status(), headers, body: text(await response.text()) })
}

test('an approval that was read before its execution ended does not say that the call was not made', async ({
  signedIn,
  origin,
}) => {
  const approvalId = await waitingInStages(origin, 'read-before-end')
  await decideAs(origin, 'jonas', approvalId, 'approve', 'The first of two.')
  const page = await signedIn('anna')
  let ended = false
  // One request can read both.
  await page.route(/\/v1\/[^?]*(executions|approvals)\.get(?![A-Za-z])/, (route) =>
    passOn(route, (body) => {
      const isEarlier = !ended
      if (body.includes('"status":"failed"')) ended = true
      return isEarlier ? body.replace(/"usedAt":"[^"]*"/g, '"usedAt":null') : body
    }),
  )
  await page.goto(address({ approvalId }))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title)
  const wrong = await page.evaluateHandle(() => {
    const seen: string[] = []
    new MutationObserver(() => {
      const text = document.body.textContent ?? ''
      if (/not carried out|It was not made/.test(text)) seen.push(text)
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
    return seen
  })
  await decideAs(origin, 'anna', approvalId, 'approve', 'The second of two.')
  await expect(page.getByRole('region', { name: 'What became of it' })).toContainText('It failed')
  expect(await wrong.jsonValue()).toEqual([])
})
