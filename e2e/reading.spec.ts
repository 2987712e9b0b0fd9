import { call, externalId, personToken } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { expect, signIn, test } from './fixtures.ts'

// The tenant requires a time to read before a request of high or critical risk is approved.

const globex = externalId('globex')
const seconds = 15

type Settings = { revision: number; settings: { readingSeconds: number | null } }
type Members = { items: { id: string; username: string; roles: string[]; revision: number }[] }

/** Requests a change of critical risk in that tenant. Returns the approval's id. */
async function criticalRequest(origin: string): Promise<string> {
  const tom = await personToken(origin, 'tom', 'globex')
  const { revision, settings } = await call<Settings>(origin, tom, 'query', 'tenants.getSettings', {})
  if (settings.readingSeconds !== seconds)
    await call(origin, tom, 'mutation', 'tenants.updateSettings', {
      readingSeconds: seconds,
      expectedRevision: revision,
    })
  const { items } = await call<Members>(origin, tom, 'query', 'members.list', { limit: 200 })
  const member = items.find(({ username }) => username === 'omar')
  if (member === undefined) throw new Error('The demo lacks omar in globex.')
  const { change } = await call<{ change: { approvalId: string } }>(origin, tom, 'mutation', 'members.setRoles', {
    id: member.id,
    roles: [...member.roles, 'tenant_admin'],
    expectedRevision: member.revision,
    reason: 'Looks after the tenant while Tom is away.',
  })
  return change.approvalId
}

test('a request of critical risk is approved only after the time to read, which the page counts down', async ({
  page,
  origin,
}) => {
  const approvalId = await criticalRequest(origin)
  await signIn(page, 'jonas', 'globex')
  let openings = 0
  page.on('request', (request) => {
    if (request.url().includes('/v1/approvals.open')) openings += 1
  })
  await page.goto(`/t/${globex}/approvals/${approvalId}`)
  // The region is renamed after the decision.
  const rail = page.getByRole('region', { name: /^Decided?$/ })
  await rail.getByRole('radio', { name: /^Approve/ }).check()
  await expect(rail).toContainText(`requires at least ${seconds} s of reading`)
  await rail.getByRole('textbox', { name: /Reason/ }).fill('Agreed with Tom.')
  await rail.getByRole('checkbox').check()
  const approve = rail.getByRole('button', { name: /^Approve/ })
  await expect(approve).toHaveAccessibleDescription(/You can approve in \d+ s\./)
  await expect(approve).toHaveAttribute('aria-disabled', 'true')
  await expectEveryView(page, 'time-to-read')
  expect(openings).toBe(1)
  // Another page of the same person, and of the same request, does not start the time again.
  await page.reload()
  await expect(rail.getByRole('textbox', { name: /Reason/ })).toHaveValue('Agreed with Tom.')
  await rail.getByRole('checkbox').check()
  await approve.focus()
  await expect(approve).not.toHaveAttribute('aria-disabled', 'true', { timeout: seconds * 1000 })
  await expect(approve).toBeFocused()
  await approve.click()
  await expect(rail).toContainText('Recorded: approved.')

  const vera = await personToken(origin, 'vera', 'globex')
  const records = await call<{ items: { type: string }[] }>(origin, vera, 'query', 'audit.list', {
    resourceId: approvalId,
  })
  expect(records.items.filter(({ type }) => type === 'approval.opened')).toHaveLength(1)
})
