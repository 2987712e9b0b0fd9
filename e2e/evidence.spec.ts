import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { extractArchive } from '#server/testing/extract.ts'
import { waitingRefund } from './cases.ts'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'

const run = promisify(execFile)

test('vera exports today, downloads the archive, and it verifies with sha256sum and openssl', async ({
  page,
  origin,
}) => {
  const { executionId } = await waitingRefund(origin)
  // The system's own dialog for a file can't be worked by a test; without it the browser collects the download.
  await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'))
  await signIn(page, 'vera')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Evidence' }).click()
  await expect(page).toHaveTitle('Evidence · Countersign')
  await expect(page.getByRole('heading', { level: 1, name: 'Evidence' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'New export' }).click()
  await expect(page.getByRole('radio', { name: 'Today' })).toBeChecked()
  await expect(page.getByRole('checkbox', { name: /^Proofs/ })).toBeChecked()
  await expect(page).toHaveTitle('New evidence export · Countersign')
  await expect(page.getByRole('checkbox', { name: /^Raw payloads/ })).toHaveAttribute('aria-disabled', 'true')
  await expect(page.getByRole('region', { name: '3. Review' })).toContainText('with proofs')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Export the evidence' }).click()

  const button = page.getByRole('button', { name: /^Download the archive/ })
  await expect(button).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText('Completed', { exact: true })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Files of the archive' })).toContainText('data/executions.ndjson')
  await expectAccessible(page)
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
  expect(download.suggestedFilename()).toMatch(/^evidence-room-[0-9a-f-]{36}\.zip$/)
  await expect(page.getByText('The download is recorded in the audit log.')).toBeVisible()

  const folder = await mkdtemp(join(tmpdir(), 'countersign-evidence-'))
  try {
    const top = await extractArchive(await readFile(await download.path()), join(folder, 'archive'))
    const check = (command: string) => run('bash', ['-euo', 'pipefail', '-c', command], { cwd: top })
    await check('sha256sum --quiet --strict -c manifest-sha256.txt')
    await check('sha256sum --quiet --strict -c tagmanifest-sha256.txt')
    // As the page says it, so that what it tells people to type works.
    const commands = await page
      .getByRole('region', { name: 'Check it yourself' })
      .getByRole('listitem')
      .locator('code')
      .allTextContents()
    expect(commands).toHaveLength(6)
    const [, , , signature = '', seal = '', fingerprint = ''] = commands
    expect((await check(signature)).stdout).toContain('Signature Verified Successfully')
    expect((await check(seal)).stdout.trim()).toBe('1')
    const [printed = ''] = (await check(fingerprint)).stdout.split(' ')
    await expect(page.getByRole('region', { name: 'Check it yourself' })).toContainText(printed)
    expect(await readFile(join(top, 'data/executions.ndjson'), 'utf8')).toContain(executionId)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('an unknown export is not there, and a range that makes no sense is explained', async ({ page, troubles }) => {
  troubles.expect(/status of 404/)
  const { externalId } = await signIn(page, 'vera')
  await page.goto(`/t/${externalId}/evidence/0198c000-0000-7000-8000-000000000001`)
  await expect(page.getByText('The export can’t be found.')).toBeVisible()
  await page.goto(`/t/${externalId}/evidence/new`)
  await page.getByRole('radio', { name: 'Other days' }).check()
  await page.getByRole('button', { name: 'Export the evidence' }).click()
  await expect(page.getByText('Give the first day.')).toBeVisible()
  await page.getByLabel('First day (UTC)').fill('2026-01-02')
  await page.getByLabel('Last day (UTC)').fill('2026-01-01')
  await expect(page.getByText('The last day is before the first one.')).toBeVisible()
  await expectAccessible(page)
})

test('jonas, who is no auditor, learns who may see evidence', async ({ page }) => {
  const { externalId } = await signIn(page, 'jonas')
  await page.goto(`/t/${externalId}/evidence`)
  await expect(page.getByText('You may not see evidence exports.')).toBeVisible()
  await expect(page.getByText(/auditor/)).toBeVisible()
  await expectAccessible(page)
})
