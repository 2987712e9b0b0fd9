import { readFile } from 'node:fs/promises'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'

test('a stranger has a bundle checked in the browser; one changed byte is found; nothing is uploaded', async ({
  page,
}) => {
  // The system's own dialog for a file can't be worked by a test; without it the browser collects the download.
  await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'))
  const { externalId } = await signIn(page, 'vera')
  await page.goto(`/t/${externalId}/evidence/new`)
  await page.getByRole('button', { name: /^Export/ }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download', { timeout: 60_000 }),
    page.getByRole('button', { name: /^Download/ }).click({ timeout: 60_000 }),
  ])
  const bytes = await readFile(await download.path())
  await page.context().clearCookies()

  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(request.url())
  })
  await page.goto('/verify')
  await expectAccessible(page)
  const choose = (content: Buffer) =>
    page
      .getByLabel(/Choose a bundle/)
      .setInputFiles({ name: 'bundle.zip', mimeType: 'application/zip', buffer: content })
  await choose(bytes)
  await expect(page.getByText('Everything agrees.')).toBeVisible({ timeout: 30_000 })
  await expect(page.getByRole('listitem').filter({ hasText: 'the manifest covers the list' })).toBeVisible()
  await expectAccessible(page)
  const changed = Buffer.from(bytes)
  const at = changed.indexOf('PK\x03\x04', 4000)
  changed[at + 200] = (changed[at + 200] ?? 0) ^ 1
  await choose(changed)
  await expect(page.getByText('This bundle does not hold.', { exact: false })).toBeVisible({ timeout: 30_000 })
  expect(sent).toEqual([])
})
