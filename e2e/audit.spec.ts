import { decideAs, waitingRefund } from './cases.ts'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'

test('vera opens a decision’s record, sees its path to the signed root, and has it verified', async ({
  page,
  origin,
}) => {
  const reason = `Checked for the audit, ${Date.now()}.`
  const { approvalId } = await waitingRefund(origin)
  await decideAs(origin, 'jonas', approvalId, 'reject', reason)
  await signIn(page, 'vera')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit' }).click()
  await expect(page).toHaveTitle('Audit · Countersign')
  await expect(page.getByRole('row', { name: reason })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('row', { name: reason }).getByRole('rowheader').getByRole('link').click()

  await expect(page.getByRole('region', { name: 'Record' })).toContainText(reason)
  const proof = page.getByRole('region', { name: 'Proof' })
  await expect(proof).toContainText('this browser reaches the signed root', { timeout: 30_000 })
  await expect(page.getByText('Sealed, not checked here').first()).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Verify' }).click()
  const verification = page.getByRole('region', { name: 'Verification' })
  await expect(verification).toContainText('Verified: the record is the one that was logged.')
  for (const name of ['digest', 'leaf', 'merkleRoot', 'checkpoint', 'inclusion', 'log'])
    await expect(verification.getByRole('listitem').filter({ hasText: name }).first()).toBeVisible()
  await expectAccessible(page)
})

test('vera narrows the log down; the filter stands in the address', async ({ page }) => {
  const { externalId } = await signIn(page, 'vera')
  await page.goto(`/t/${externalId}/audit`)
  await page.getByLabel('What', { exact: true }).fill('release.proposed')
  await page.getByRole('button', { name: 'Filter' }).click()
  await expect(page).toHaveURL(/action=release\.proposed/)
  await expect(page.getByRole('table', { name: 'Audit records' }).getByRole('rowheader').first()).toBeVisible()
  for (const what of await page.getByRole('table', { name: 'Audit records' }).getByRole('rowheader').allInnerTexts())
    expect(what).toBe('release.proposed')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect(page).toHaveURL(/audit$/)
})

test('pia may read the log but not verify, and learns who can', async ({ page }) => {
  const { externalId } = await signIn(page, 'pia')
  await page.goto(`/t/${externalId}/audit`)
  await page.getByRole('rowheader').first().getByRole('link').click()
  const button = page.getByRole('button', { name: 'Verify' })
  await expect(button).toHaveAttribute('aria-disabled', 'true')
  await expect(page.getByText(/Needs the permission trace:verify: approver or auditor/)).toBeVisible()
  await expectAccessible(page)
})
