import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from '@playwright/test'
import { extractArchive } from '#server/testing/extract.ts'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'

/** Today's archive as vera gets it, in a browser of her own: the test's page stays a stranger. */
async function archive(browser: Browser, baseURL: string): Promise<Buffer> {
  const context = await browser.newContext({ baseURL })
  try {
    const page = await context.newPage()
    // The system's own dialog for a file can't be worked by a test; without it the browser collects the download.
    await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'))
    const { externalId } = await signIn(page, 'vera')
    await page.goto(`/t/${externalId}/evidence/new`)
    await page.getByRole('button', { name: 'Export the evidence' }).click()
    const button = page.getByRole('button', { name: /^Download the archive/ })
    await expect(button).toBeVisible({ timeout: 30_000 })
    await expect(page.getByRole('link', { name: 'Verify an evidence bundle' })).toHaveAttribute('href', '/verify')
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
    return await readFile(await download.path())
  } finally {
    await context.close()
  }
}

/** With one bit changed in the packed bytes of the first file that lies after `from`. */
function flipped(bytes: Buffer, from: number): Buffer {
  const changed = Buffer.from(bytes)
  const at = changed.indexOf('PK\x03\x04', from)
  expect(at).toBeGreaterThanOrEqual(from)
  const place = at + 30 + changed.readUInt16LE(at + 26) + changed.readUInt16LE(at + 28) + 20
  changed[place] = (changed[place] ?? 0) ^ 1
  return changed
}

const choose = (page: Page, buffer: Buffer) =>
  page.locator('input[type=file]').setInputFiles({ name: 'bundle.zip', mimeType: 'application/zip', buffer })

test('a stranger has a bundle checked in the browser; one changed bit is found; nothing is uploaded', async ({
  page,
  browser,
  origin,
}) => {
  const bytes = await archive(browser, origin)
  await page.goto('/sign-in')
  await page.getByRole('link', { name: 'Verify an evidence bundle' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Verify an evidence bundle' })).toBeVisible()
  await expect(page).toHaveTitle('Verify an evidence bundle · Countersign')
  await expectAccessible(page)
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(request.url())
  })

  await choose(page, bytes)
  await expect(page.getByText('Everything agrees.')).toBeVisible({ timeout: 30_000 })
  await expect(page.getByRole('listitem').filter({ hasText: 'the manifest covers the list' })).toBeVisible()
  await expectAccessible(page)
  await choose(page, flipped(bytes, 4000))
  await expect(page.getByText('This bundle does not hold.', { exact: false })).toBeVisible({ timeout: 30_000 })
  await expectAccessible(page)
  await choose(page, Buffer.from('no archive'))
  await expect(page.getByText('This is no ZIP archive.')).toBeVisible({ timeout: 30_000 })
  await choose(page, bytes)
  await expect(page.getByText('Everything agrees.')).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText('does not hold', { exact: false })).toHaveCount(0)
  expect(sent).toEqual([])
})

test('a bundle is chosen by keyboard, or dropped anywhere on the page', async ({ page, browser, origin }) => {
  const bytes = await archive(browser, origin)
  await page.goto('/verify')
  const input = page.getByLabel('Choose a bundle')
  await page.keyboard.press('Tab')
  await expect(input).toBeFocused()
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Enter')])
  await chooser.setFiles({ name: 'chosen.zip', mimeType: 'application/zip', buffer: Buffer.from('no archive') })
  await expect(page.getByText('This is no ZIP archive.')).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText('chosen.zip')).toBeVisible()

  const dropped = await page.evaluateHandle((base64) => {
    const transfer = new DataTransfer()
    const content = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    transfer.items.add(new File([content], 'dropped.zip', { type: 'application/zip' }))
    return transfer
  }, bytes.toString('base64'))
  await page.dispatchEvent('h1', 'dragover', { dataTransfer: dropped })
  await expect(page.getByText('Drop it to have it checked')).toBeVisible()
  await expectAccessible(page)
  await page.dispatchEvent('h1', 'drop', { dataTransfer: dropped })
  await expect(page.getByText('Everything agrees.')).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText('dropped.zip')).toBeVisible()
  await expectAccessible(page)
})

test('verify.html of an archive, opened from the disk, checks it without a network', async ({
  page,
  browser,
  origin,
}) => {
  const bytes = await archive(browser, origin)
  const folder = await mkdtemp(join(tmpdir(), 'countersign-verify-'))
  try {
    const top = await extractArchive(bytes, join(folder, 'archive'))
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const address = pathToFileURL(join(top, 'verify.html')).href
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1, name: 'Verify an evidence bundle' })).toBeVisible()
    await expectAccessible(page)
    await writeFile(join(folder, 'chosen.zip'), bytes)
    await page.getByLabel('Bundle (ZIP)').setInputFiles(join(folder, 'chosen.zip'))
    await expect(page.getByText('Everything agrees.', { exact: false })).toBeVisible({ timeout: 30_000 })
    await expect(page.getByRole('listitem').filter({ hasText: 'DOES NOT HOLD' })).toHaveCount(0)
    for (const from of [0, 4000, Math.floor(bytes.length / 2)]) {
      await choose(page, flipped(bytes, from))
      await expect(page.getByText('This bundle does not hold.', { exact: false })).toBeVisible({ timeout: 30_000 })
      await expect(page.getByRole('listitem').filter({ hasText: 'DOES NOT HOLD' }).first()).toBeVisible()
    }
    expect(asked).toEqual([address])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
