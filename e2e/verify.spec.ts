import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from '@playwright/test'
import { type ArchiveChange, archiveChanges } from '#server/testing/archive-changes.ts'
import { extractArchive, readArchiveFiles } from '#server/testing/extract.ts'
import { sized } from '#server/testing/properties/counts.ts'
import { rowsBound } from './cases.ts'
import { countCases } from './counts.ts'
import { expectEveryView } from './every-view.ts'
import { demoTenant, expect, expectAccessible, hydrated, test } from './fixtures.ts'

let todays: Promise<Buffer> | undefined

/**
 * Today's archive as Vera gets it, exported once for these tests, of the organisation in which few others do anything: a browser
 * checks it many times here. The page of these tests belongs to a stranger.
 */
const archive = (origin: string, signedIn: (username: string, slug: string) => Promise<Page>): Promise<Buffer> => {
  todays ??= rowsBound(origin, 'globex').then(async () => await exportToday(await signedIn('vera', 'globex')))
  return todays
}

async function exportToday(page: Page): Promise<Buffer> {
  // A test can't operate the system's file dialog. Without it, the browser downloads the file.
  await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'))
  await page.goto(`/t/${demoTenant('globex').externalId}/evidence/new`)
  await page.getByRole('button', { name: 'Export the evidence' }).click()
  const button = page.getByRole('button', { name: /^Download the archive/ })
  await expect(button).toBeVisible({ timeout: 120_000 })
  await expect(page.getByRole('link', { name: 'Verify an evidence archive' })).toHaveAttribute('href', '/verify')
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
  return await readFile(await download.path())
}

/** Files with fewer compressed bytes are not changed. An empty file has two. */
const small = 64

/** Returns the places of the compressed bytes of each file that is large enough, from the archive's central directory. */
function packed(bytes: Buffer): { from: number; size: number }[] {
  const files = []
  for (let at = bytes.indexOf('PK\x01\x02'); at >= 0; at = bytes.indexOf('PK\x01\x02', at + 46)) {
    const [size, header] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 42)]
    if (size < small || bytes.readUInt32LE(header) !== 0x04034b50) continue
    files.push({ from: header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28), size })
  }
  return files
}

/**
 * Returns the archive with one bit changed in a file: the one that says whether its first block is the last. A bit further on may only
 * write the same content in another way. `share` selects the file: 0 is the first, 1 the last.
 */
function flipped(bytes: Buffer, share: number): Buffer {
  const files = packed(bytes)
  const file = files[Math.round(share * (files.length - 1))]
  if (file === undefined) throw new Error('The archive does not contain a file of that size.')
  const changed = Buffer.from(bytes)
  changed[file.from] = (changed[file.from] ?? 0) ^ 1
  return changed
}

const verdict = (page: Page, title: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 2, name: title }) })
const choose = (page: Page, buffer: Buffer) =>
  page.locator('input[type=file]').first().setInputFiles({ name: 'archive.zip', mimeType: 'application/zip', buffer })

test('anyone can check an archive in the browser: one changed bit is found, and nothing is uploaded', async ({
  page,
  signedIn,
  origin,
}) => {
  const bytes = await archive(origin, signedIn)
  await page.goto('/sign-in')
  await page.getByRole('link', { name: 'Verify an evidence archive' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Verify an evidence archive' })).toBeVisible()
  await expect(page).toHaveTitle('Verify an evidence archive · Countersign')
  await expectAccessible(page)
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(request.url())
  })

  await choose(page, bytes)
  await expect(page.getByText('Everything agrees.')).toBeVisible({
    timeout: 120_000,
  })
  // The server publishes its keys and its log, so that origin and freshness hold without an account.
  await expect(verdict(page, 'Integrity')).toContainText('Holds')
  await expect(verdict(page, 'Origin')).toContainText('Holds')
  await expect(verdict(page, 'Freshness')).toContainText('Holds')
  await expect(verdict(page, 'Log')).toContainText('Holds')
  await expect(verdict(page, 'Completeness')).toContainText('Holds')
  await page.getByRole('textbox', { name: 'Key fingerprint' }).fill('0'.repeat(64))
  await page.getByRole('button', { name: 'Check again' }).click()
  await expect(verdict(page, 'Origin')).toContainText('sealed with another key')
  await page.getByRole('textbox', { name: 'Key fingerprint' }).fill('')
  await expectAccessible(page)
  // The words that the page shows are accepted as the fingerprint.
  const words = await page.getByRole('list', { name: 'The key in words' }).getByRole('listitem').allTextContents()
  await page.getByRole('textbox', { name: 'Key fingerprint' }).fill(words.join(' '))
  await page.getByRole('button', { name: 'Check again' }).click()
  await expect(verdict(page, 'Origin')).toContainText('Holds', { timeout: 120_000 })
  await page.getByRole('textbox', { name: 'Key fingerprint' }).fill('')
  // An archive is not directly before or after itself.
  const same = { name: 'same.zip', mimeType: 'application/zip', buffer: bytes }
  await page.getByLabel('Another archive of the same organisation (optional)').setInputFiles(same)
  await page.getByRole('button', { name: 'Check again' }).click()
  await expect(verdict(page, 'Freshness')).toContainText('Neither archive names the other one', { timeout: 120_000 })
  await page.getByLabel('Another archive of the same organisation (optional)').setInputFiles([])
  await expectEveryView(page, 'verify')
  await choose(page, flipped(bytes, 0.2))
  await expect(page.getByText('This archive is not valid.', { exact: false })).toBeVisible({ timeout: 120_000 })
  await expectAccessible(page)
  await choose(page, Buffer.from('no archive'))
  await expect(page.getByText('Not a ZIP archive.')).toBeVisible({ timeout: 120_000 })
  await choose(page, bytes)
  await expect(page.getByText('Everything agrees.')).toBeVisible({
    timeout: 120_000,
  })
  await expect(page.getByText('This archive is not valid.', { exact: false })).toHaveCount(0)
  expect(sent).toEqual([])
})

test('a changed archive gets its verdicts on the page', async ({ page, signedIn, origin }) => {
  test.setTimeout(sized(600_000, 240_000))
  const bytes = await archive(origin, signedIn)
  const changes = await ofEveryKind(bytes)
  expect(changes.length).toBeGreaterThan(60)
  const checked = changes.filter((_change, index) => index % sized(1, 12) === 0)
  await page.goto('/verify')
  await hydrated(page.getByLabel('Choose an archive'))
  for (const { name, make, expected, says } of checked)
    await test.step(name, async () => {
      const changed = {
        name: `${name.replaceAll('/', ' ')}.zip`,
        mimeType: 'application/zip',
        buffer: Buffer.from(await make()),
      }
      await page.locator('input[type=file]').first().setInputFiles(changed)
      // From then on, what the page shows is about this one.
      await expect(page.locator('label').getByText(changed.name)).toBeVisible()
      for (const [asked, state] of Object.entries(expected))
        await expect(verdict(page, capital(asked)).locator('> span')).toHaveText(capital(state), { timeout: 120_000 })
      if (says !== undefined) await expect(page.getByText(says).first()).toBeAttached()
      await expect(page.getByText('Everything agrees.')).toHaveCount(0)
    })
  countCases(checked.length)
})

const capital = (words: string): string => words.replace(/^./, (first) => first.toUpperCase())

/** One change of each kind. server/evidence/archive-changes.test.ts is about all of them; here it is what a person sees. */
async function ofEveryKind(bytes: Buffer): Promise<ArchiveChange[]> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-changes-'))
  try {
    const top = await extractArchive(bytes, join(folder, 'archive'))
    const files = await readArchiveFiles(top)
    const today = new Date(JSON.parse(String(files.get('manifest.json'))).createdAt).toISOString().slice(0, 10)
    const kinds = new Map<string, ArchiveChange>()
    for (const change of archiveChanges({ bytes, folder: basename(top), files, today })) {
      const kind = change.name.replace(/\S*[/.]\S*|\d+/g, '')
      if (!kinds.has(kind)) kinds.set(kind, change)
    }
    return [...kinds.values()]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

test('an archive can be chosen by keyboard or dropped anywhere on the page', async ({ page, signedIn, origin }) => {
  const bytes = await archive(origin, signedIn)
  // Before the page: the browser is told to report the dialog only from now on.
  const asked = page.waitForEvent('filechooser')
  await page.goto('/verify')
  const input = page.getByLabel('Choose an archive')
  await hydrated(input)
  await page.keyboard.press('Tab')
  await expect(input).toBeFocused()
  await page.keyboard.press('Enter')
  const chooser = await asked
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
  await expect(page.getByText('Everything agrees.')).toBeVisible({
    timeout: 120_000,
  })
  await expect(page.getByText('dropped.zip')).toBeVisible()
  await expectAccessible(page)
})

test('verify.html of an archive, opened from disk, checks the archive offline', async ({ page, signedIn, origin }) => {
  const bytes = await archive(origin, signedIn)
  const folder = await mkdtemp(join(tmpdir(), 'countersign-verify-'))
  try {
    const top = await extractArchive(bytes, join(folder, 'archive'))
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const address = pathToFileURL(join(top, 'verify.html')).href
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1, name: 'Verify an evidence archive' })).toBeVisible()
    await expectAccessible(page)
    await writeFile(join(folder, 'chosen.zip'), bytes)
    await page.getByLabel('Archive (ZIP)').setInputFiles(join(folder, 'chosen.zip'))
    await expect(page.getByText('Nothing contradicts itself', { exact: false })).toBeVisible({ timeout: 120_000 })
    await expect(page.getByRole('listitem').filter({ hasText: 'FAILS: ' })).toHaveCount(0)
    for (const share of [0, 0.2, 0.5, 1]) {
      await choose(page, flipped(bytes, share))
      await expect(page.getByText('This archive is not valid.', { exact: false })).toBeVisible({ timeout: 120_000 })
      await expect(page.getByRole('listitem').filter({ hasText: 'FAILS: ' }).first()).toBeVisible()
    }
    expect(asked).toEqual([address])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
