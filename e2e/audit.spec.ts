import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { call, decideAs, externalId, home, personToken, waitingRefund } from './cases.ts'
import { pastDay } from './database.ts'
import { expectEveryView } from './every-view.ts'
import { demoTenant, expect, expectAccessible, test } from './fixtures.ts'

test('vera opens a decision’s record, sees its path to the signed root, and has it verified', async ({
  signedIn,
  origin,
}) => {
  const reason = `Checked for the audit, ${Date.now()}.`
  const { approvalId } = await waitingRefund(origin)
  await decideAs(origin, 'jonas', approvalId, 'reject', reason)
  const page = await signedIn('vera')
  await page.goto(home())
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit' }).click()
  await expect(page).toHaveTitle(/^(\(\d+\) )?Audit · Countersign$/)
  await expect(page.getByRole('row', { name: reason })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('row', { name: reason }).getByRole('rowheader').getByRole('link').click()

  await expect(page.getByRole('region', { name: 'Record' })).toContainText(reason)
  const proof = page.getByRole('region', { name: 'Proof' })
  await expect(proof).toContainText('this browser reaches the signed root', { timeout: 90_000 })
  await expect(page.getByText('Sealed, not checked here').first()).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Verify' }).click()
  const verification = page.getByRole('region', { name: 'Verification' })
  await expect(verification).toContainText('Verified: the record is the one that was logged.')
  for (const name of ['digest', 'leaf', 'merkleRoot', 'checkpoint', 'inclusion', 'log'])
    await expect(verification.getByRole('listitem').filter({ hasText: name }).first()).toBeVisible()
  await expectAccessible(page)
})

const records = (page: Page) => page.getByRole('table', { name: 'Audit records' })

test('Vera filters the log by existing actions and actors, and the address keeps the filter', async ({ signedIn }) => {
  const page = await signedIn('vera')
  await page.goto(`/t/${externalId()}/audit`)
  await page.getByLabel('What', { exact: true }).selectOption('release.proposed')
  await expect(page).toHaveURL(/action=release\.proposed/)
  const proposed = /(Maria Köhler|CI pipeline) proposed the release of .* in /
  await expect(records(page).getByRole('rowheader').first()).toContainText(proposed)
  await expect(records(page).getByRole('rowheader').filter({ hasNotText: proposed })).toHaveCount(0)
  await expectEveryView(page, 'audit')
  // To the second.
  await expect(records(page).getByRole('row').nth(1)).toContainText(/\d\d:\d\d:\d\d/)
  await expectAccessible(page)
  const who = page.getByLabel('Who', { exact: true })
  // Agents as on every other page: by what they are called, not by the name in their manifest.
  await expect(who.getByRole('option', { name: 'Refund assistant' })).toHaveCount(1)
  await expect(who.getByRole('option', { name: 'refund-assistant' })).toHaveCount(0)
  await who.selectOption({
    label: await who
      .getByRole('option', { name: /^Maria / })
      .first()
      .innerText(),
  })
  await expect(page).toHaveURL(/actorId=/)
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect(page).toHaveURL(/audit$/)
  await expect(page.getByLabel('What', { exact: true })).toHaveValue('all')
  await page.getByLabel('To (UTC)').fill('2001-02-03')
  await expect(page.getByText('No records match these filters.')).toBeVisible()
  await expect(page).toHaveURL(/to=2001-02-03/)
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect(page.getByLabel('To (UTC)')).toHaveValue('')
})

test('Vera finds an object by its words, and saves the filtered list as CSV and NDJSON', async ({
  signedIn,
  origin,
}) => {
  const { approvalId } = await waitingRefund(origin)
  await decideAs(origin, 'jonas', approvalId, 'reject', '=1+1 is not a reason.')
  const page = await signedIn('vera')
  // A test can't operate the system's file dialog. Without it, the browser downloads the file.
  await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'))
  await page.goto(`/t/${externalId()}/audit`)
  // Each action that a run records has a sentence of its own.
  await expect(records(page)).toContainText(/Refund assistant called a tool in an execution/)
  await expect(
    records(page)
      .getByRole('rowheader')
      .filter({ hasText: /^What[^:]+: / }),
  ).toHaveCount(0)
  const about = page.getByRole('searchbox', { name: 'About' })
  await about.fill('refund')
  const found = page.getByRole('list', { name: 'Objects with these words' }).getByRole('button')
  await expect(found.first()).toContainText('approval')
  await expectAccessible(page)
  await about.fill(approvalId)
  await about.press('Enter')
  await expect(page).toHaveURL(new RegExp(`resourceId=${approvalId}`))
  await expect(records(page).getByRole('rowheader').first()).toContainText(/Jonas Berg rejected the refund of €/)
  await expectAccessible(page)
  const saved = async (name: string) => {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name }).click()
    return readFileSync(await (await download).path(), 'utf8')
  }
  const csv = await saved('Download CSV')
  expect(csv).toMatch(/^\uFEFFat,sentence,action,/)
  expect(csv).toContain("'=1+1 is not a reason.")
  const rows = (await saved('Download NDJSON'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(rows[0]).toMatchObject({ type: 'approval.reject', resource: { id: approvalId } })
  expect(rows.every(({ resource }) => resource.id === approvalId)).toBe(true)
  await page.getByRole('button', { name: 'Show all objects' }).click()
  await expect(page).toHaveURL(/audit$/)
})

test('a record links to all records of its actor and of its resource', async ({ signedIn, origin }) => {
  const { approvalId } = await waitingRefund(origin)
  const page = await signedIn('vera')
  await page.goto(`/t/${externalId()}/audit?resourceId=${approvalId}`)
  await records(page).getByRole('rowheader').first().getByRole('link').click()
  await page.getByRole('link', { name: 'All records about this resource' }).click()
  await expect(page).toHaveURL(`/t/${externalId()}/audit?resourceId=${approvalId}`)
  await expect(page.getByText(/^Only records about/)).toContainText('refund of €')
  await records(page).getByRole('rowheader').first().getByRole('link').click()
  await page.getByRole('link', { name: 'All records by this actor' }).click()
  await expect(page).toHaveURL(/audit\?actorId=/)
  await expect(records(page).getByRole('rowheader').first()).toBeVisible()
})

test('on a telephone, the filters fold into one button that states how many are set', async ({ signedIn }) => {
  const page = await signedIn('vera')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`/t/${externalId()}/audit?action=release.proposed&from=2001-02-03`)
  const fold = page.getByRole('button', { name: 'Filter, 2 set' })
  await expect(fold).toHaveAttribute('aria-expanded', 'false')
  await expect(page.getByLabel('What', { exact: true })).toBeHidden()
  await expect(records(page).getByRole('rowheader').first()).toBeInViewport()
  await expectAccessible(page)
  await fold.click()
  await page.getByLabel('What', { exact: true }).selectOption({ label: 'All actions' })
  await expect(page.getByRole('button', { name: 'Filter, 1 set' })).toHaveAttribute('aria-expanded', 'true')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect(page.getByRole('button', { name: 'Filter', exact: true })).toBeVisible()
  await expect(page).toHaveURL(/audit$/)
})

test('the server closes a past day, and the browser verifies up to the root of all closed days', async ({
  signedIn,
  origin,
}) => {
  const { date, auditId } = await pastDay(demoTenant(), 5)
  // A record of today makes the server sign the tenant’s log, and close the past day.
  await waitingRefund(origin)
  const token = await personToken(origin, 'vera')
  await expect
    .poll(
      async () => (await call<{ sealLog: object | null }>(origin, token, 'query', 'audit.get', { auditId })).sealLog,
      {
        timeout: 120_000,
      },
    )
    .not.toBeNull()
  const page = await signedIn('vera')
  await page.goto(home())
  const log = page.getByRole('region', { name: 'Today’s log' })
  await expect(log).toContainText(/\d+ \w{3} \d{4}\d+ records?, sealed, not checked here/)
  await expectAccessible(page)

  await page.goto(`/t/${externalId()}/audit/${auditId}`)
  const reaches = 'this browser reaches the signed root'
  await expect(page.getByRole('region', { name: 'Proof' })).toContainText(`From the record shown here, ${reaches}`)
  const closed = page.getByRole('region', { name: 'Closed days' })
  await expect(closed).toContainText(`From the day’s last checkpoint, ${reaches}`)
  await expect(closed).toContainText(`${date} is entry`)
  await expect(closed).toContainText('The day’s leaf')
  await expect(closed).not.toContainText('this record')
  // The page states that the record is sealed, and claims no check that has not run.
  const sealed = page.getByText('Sealed, not checked here')
  const verification = page.getByRole('region', { name: 'Verification' })
  await expect(closed.getByText('Sealed, not checked here')).toHaveCount(1)
  await expect(verification.getByText(/Sealed|Not sealed/)).toHaveCount(0)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(verification).toContainText('Verified: the record is the one that was logged.')
  await expect(verification.getByRole('listitem').filter({ hasText: 'seal' }).first()).toBeVisible()
  await expect(closed.getByText('Verified in this session')).toHaveCount(1)
  await expect(sealed).toHaveCount(0)
  await expectAccessible(page)
})

test('Pia may read the log but not verify it, and is shown which roles can', async ({ signedIn }) => {
  const page = await signedIn('pia')
  await page.goto(`/t/${externalId()}/audit`)
  await page.getByRole('rowheader').first().getByRole('link').click()
  const button = page.getByRole('button', { name: 'Verify' })
  await expect(button).toHaveAttribute('aria-disabled', 'true')
  await expect(page.getByText('Only an approver or an auditor can do this.')).toBeVisible()
  await expectAccessible(page)
})
