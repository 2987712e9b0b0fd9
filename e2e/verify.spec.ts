import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from '@playwright/test'
import { extractArchive } from '#server/testing/extract.ts'
import { externalId } from './cases.ts'
import { expect, expectAccessible, hydrated, test } from './fixtures.ts'

let todays: Promise<Buffer> | undefined

/** Today's archive as Vera gets it, exported once for these tests. Their own page belongs to a stranger. */
const archive = (signedIn: (username: string) => Promise<Page>): Promise<Buffer> => {
  todays ??= signedIn('vera').then(exportToday)
  return todays
}

async function exportToday(page: Page): Promise<Buffer> {
  // The system's own dialog for a file can't be worked by a test; without it the browser collects the download.
  await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'))
  await page.goto(`/t/${externalId()}/evidence/new`)
  await page.getByRole('button', { name: 'Export the evidence' }).click()
  const button = page.getByRole('button', { name: /^Download the archive/ })
  await expect(button).toBeVisible({ timeout: 120_000 })
  await expect(page.getByRole('link', { name: 'Verify an evidence bundle' })).toHaveAttribute('href', '/verify')
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
  return await readFile(await download.path())
}

/** Packed bytes too few for a change in their middle: an empty file has two. */
const small = 64

/** Where the packed bytes of each file lie that has more than a few, by the directory at the archive's end. */
function packed(bytes: Buffer): { from: number; size: number }[] {
  const files = []
  for (let at = bytes.indexOf('PK\x01\x02'); at >= 0; at = bytes.indexOf('PK\x01\x02', at + 46)) {
    const [size, header] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 42)]
    if (size < small || bytes.readUInt32LE(header) !== 0x04034b50) continue
    files.push({ from: header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28), size })
  }
  return files
}

/** With one bit changed in the middle of the packed bytes of a file, by its place: 0 is the first, 0.5 one in the middle. */
function flipped(bytes: Buffer, share: number): Buffer {
  const files = packed(bytes)
  const file = files[Math.round(share * (files.length - 1))]
  if (file === undefined) throw new Error('The archive holds no file of that size.')
  const place = file.from + Math.floor(file.size / 2)
  const changed = Buffer.from(bytes)
  changed[place] = (changed[place] ?? 0) ^ 1
  return changed
}

const choose = (page: Page, buffer: Buffer) =>
  page.locator('input[type=file]').setInputFiles({ name: 'bundle.zip', mimeType: 'application/zip', buffer })

test('anyone can check a bundle in the browser: one changed bit is found, and nothing is uploaded', async ({
  page,
  signedIn,
}) => {
  const bytes = await archive(signedIn)
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
  await expect(page.getByText('All checks passed.')).toBeVisible({ timeout: 120_000 })
  await expect(page.getByRole('listitem').filter({ hasText: 'the manifest covers the list' })).toBeVisible()
  await expectAccessible(page)
  await choose(page, flipped(bytes, 0.2))
  await expect(page.getByText('This bundle is not valid.', { exact: false })).toBeVisible({ timeout: 120_000 })
  await expectAccessible(page)
  await choose(page, Buffer.from('no archive'))
  await expect(page.getByText('Not a ZIP archive.')).toBeVisible({ timeout: 120_000 })
  await choose(page, bytes)
  await expect(page.getByText('All checks passed.')).toBeVisible({ timeout: 120_000 })
  await expect(page.getByText('This bundle is not valid.', { exact: false })).toHaveCount(0)
  expect(sent).toEqual([])
})

test('a bundle can be chosen by keyboard or dropped anywhere on the page', async ({ page, signedIn }) => {
  const bytes = await archive(signedIn)
  await page.goto('/verify')
  const input = page.getByLabel('Choose a bundle')
  await hydrated(input)
  await page.keyboard.press('Tab')
  await expect(input).toBeFocused()
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Enter')])
  await chooser.setFiles({ name: 'chosen.zip', mimeType: 'application/zip', buffer: Buffer.from('no archive') })
  await expect(page.getByText('Not a ZIP archive.')).toBeVisible({ timeout: 120_000 })
  await expect(page.getByText('chosen.zip')).toBeVisible()

  const dropped = await page.evaluateHandle((base64) => {
    const transfer = new DataTransfer()
    const content = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    transfer.items.add(new File([content], 'dropped.zip', { type: 'application/zip' }))
    return transfer
  }, bytes.toString('base64'))
  await page.dispatchEvent('h1', 'dragover', { dataTransfer: dropped })
  await expect(page.getByText('Drop the file to check it')).toBeVisible()
  await expectAccessible(page)
  await page.dispatchEvent('h1', 'drop', { dataTransfer: dropped })
  await expect(page.getByText('All checks passed.')).toBeVisible({ timeout: 120_000 })
  await expect(page.getByText('dropped.zip')).toBeVisible()
  await expectAccessible(page)
})

test('verify.html of an archive, opened from disk, checks the archive offline', async ({ page, signedIn }) => {
  const bytes = await archive(signedIn)
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
    await expect(page.getByText('Everything agrees.', { exact: false })).toBeVisible({ timeout: 120_000 })
    await expect(page.getByRole('listitem').filter({ hasText: 'DOES NOT HOLD' })).toHaveCount(0)
    for (const share of [0, 0.2, 0.5, 1]) {
      await choose(page, flipped(bytes, share))
      await expect(page.getByText('This bundle is not valid.', { exact: false })).toBeVisible({ timeout: 120_000 })
      await expect(page.getByRole('listitem').filter({ hasText: 'DOES NOT HOLD' }).first()).toBeVisible()
    }
    expect(asked).toEqual([address])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
