import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { extractArchive } from '#server/testing/extract.ts'
import { call, decideAs, externalId, home, personToken, rowsBound, waitingRefund } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { expect, expectAccessible, test } from './fixtures.ts'
import { signInInvited } from './invited.ts'
import { codeIsLost, loseCode } from './lost-code.ts'

const run = promisify(execFile)

test('the archive that Vera exports and downloads verifies with sha256sum and openssl', async ({
  signedIn,
  origin,
}) => {
  const { executionId } = await waitingRefund(origin)
  const page = await signedIn('vera')
  // A test can't operate the system's file dialog. Without it, the browser downloads the file.
  await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'))
  await page.goto(home())
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Evidence' }).click()
  await expect(page).toHaveTitle(/^(\(\d+\) )?Evidence · Countersign$/)
  await expect(page.getByRole('heading', { level: 1, name: 'Evidence' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'New export' }).click()
  await expect(page.getByRole('radio', { name: 'Today' })).toBeChecked()
  await expect(page.getByRole('checkbox', { name: /^Proofs/ })).toBeChecked()
  await expect(page).toHaveTitle(/^(\(\d+\) )?New evidence export · Countersign$/)
  await expect(page.getByRole('checkbox', { name: /^Raw payloads/ })).toHaveAttribute('aria-disabled', 'true')
  await page.getByRole('textbox', { name: /^For whom or what/ }).fill('Hartmann & Partner, annual audit')
  const review = page.getByRole('region', { name: '3. Review' })
  await expect(review).toContainText('with proofs')
  await expect(review).toContainText(/about [\d.]+ [kM]B, ready in a few seconds/)
  await expect(review).toContainText('Hartmann & Partner, annual audit')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Export the evidence' }).click()

  const button = page.getByRole('button', { name: /^Download the archive/ })
  await expect(button).toBeVisible({ timeout: 120_000 })
  await expect(page.getByText('Completed', { exact: true })).toBeVisible()
  await page.getByText(/^\d+ files, .* unpacked$/).click()
  await expect(page.getByRole('table', { name: 'Files of the archive' })).toContainText('data/executions.ndjson')
  await expect(page.getByRole('list', { name: 'How the archive came about' })).toContainText('Verified')
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
    // The commands that the page shows.
    const codes = page.getByRole('region', { name: 'Verify it yourself' }).getByRole('listitem').locator('code')
    await expect(codes).toHaveCount(7)
    const commands = await codes.allTextContents()
    const [, , , signature = '', seal = '', description = '', fingerprint = ''] = commands
    for (const command of [signature, description])
      expect((await check(command)).stdout).toContain('Signature Verified Successfully')
    expect((await check(seal)).stdout.trim()).toBe('1')
    const [printed = ''] = (await check(fingerprint)).stdout.split(' ')
    const keys = page.getByRole('region', { name: 'Verify it yourself' }).getByRole('link', { name: 'list of keys' })
    const published = await page.request.get((await keys.getAttribute('href')) ?? '')
    expect(await published.text()).toContain(printed)
    expect(await readFile(join(top, 'data/executions.ndjson'), 'utf8')).toContain(executionId)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('the button of an export does not move away when the counts above it arrive', async ({ signedIn }) => {
  const page = await signedIn('vera')
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    const counted = Promise.withResolvers<void>()
    await page.route(/\/evidence\/estimate\?/, async (route) => {
      await counted.promise
      await route.continue()
    })
    await page.goto(`${home()}/evidence/new`)
    const place = () =>
      page
        .getByRole('button', { name: 'Export the evidence' })
        .evaluate((button) => button.getBoundingClientRect().top + scrollY)
    const review = page.getByRole('region', { name: '3. Review' })
    await expect(review).toContainText('Counting')
    const before = await place()
    counted.resolve()
    await expect(review).toContainText(/about [\d.]+ [kM]B/)
    expect(await place()).toBe(before)
    await page.unroute(/\/evidence\/estimate\?/)
  }
})

test('Vera verifies an archive on its page, changes a copy of it, and sees which verdicts notice', async ({
  signedIn,
  origin,
}) => {
  const refund = await waitingRefund(origin)
  await decideAs(origin, 'jonas', refund.approvalId, 'approve', 'Order and amount checked against the claim.')
  await rowsBound(origin)
  const page = await signedIn('vera')
  await page.goto(`${home()}/evidence/new`)
  await page.getByRole('button', { name: 'Export the evidence' }).click()
  const here = page.getByRole('region', { name: 'Verify here' })
  const sent: string[] = []
  await here.getByRole('button', { name: 'Verify the archive here' }).click({ timeout: 120_000 })
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(request.url())
  })
  const verdict = (level: number, title: string) =>
    here.getByRole('listitem').filter({ has: page.getByRole('heading', { level, name: title }) })
  await expect(here.getByText(/^(?:Everything agrees|Nothing contradicts itself)/)).toBeVisible({ timeout: 120_000 })
  for (const title of ['Integrity', 'Origin', 'Completeness', 'Freshness'])
    await expect(verdict(3, title)).toContainText('Holds')
  const words = here.getByRole('list', { name: 'The key in words' }).getByRole('listitem')
  await expect(words).toHaveCount(12)
  const published = await page.request.get(`/.well-known/countersign/${externalId()}/log-keys.json`)
  const { keys } = (await published.json()) as { keys: { words: string }[] }
  expect(keys.map((key) => key.words)).toContain((await words.allTextContents()).join(' '))
  await here.getByText(/^One record’s way to the signed root/).click()
  await expect(here.getByText('From the record in this archive, this browser reaches the signed root.')).toBeVisible()
  await expectEveryView(page, 'evidence-verified')

  const change = here.getByRole('button', { name: 'Change the copy and verify it' })
  await expect(change).toHaveAttribute('aria-disabled', 'true')
  await here.getByRole('radio', { name: 'The reason of a decision' }).click()
  await change.click()
  await expect(verdict(4, 'Integrity')).toContainText('was changed', { timeout: 120_000 })
  await expect(verdict(4, 'Log')).toContainText('Fails')
  await expect(here.getByText(/Integrity is confirmed for the archive and fails for the copy/)).toBeVisible()
  await here.getByRole('radio', { name: 'An amount' }).click()
  await here.getByRole('radio', { name: 'Change it and recalculate the lists' }).click()
  await change.click()
  await expect(verdict(4, 'Integrity')).toContainText('The signature does not match', { timeout: 120_000 })
  await here.getByRole('radio', { name: 'Delete a record of the log' }).click()
  await here.getByRole('radio', { name: 'Change it, recalculate the lists, and sign again' }).click()
  await change.click()
  await expect(verdict(4, 'Origin')).toContainText('does not publish the key', { timeout: 120_000 })
  await expect(verdict(4, 'Integrity')).toContainText('Holds')
  await expect(verdict(4, 'Log')).toContainText('Fails')
  await expectEveryView(page, 'evidence-tampered')
  await here.getByRole('radio', { name: 'The signature' }).click()
  await change.click()
  await expect(verdict(4, 'Integrity')).toContainText('The signature does not match', { timeout: 120_000 })
  // The archive itself is untouched.
  await expect(verdict(3, 'Integrity')).toContainText('Holds')
  expect(sent).toEqual([])
})

test('the page of an archive names what was found, its downloads and the archives before it, and asks for the same again', async ({
  signedIn,
  troubles,
}) => {
  const page = await signedIn('vera')
  await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'))
  await page.goto(`${home()}/evidence/new`)
  await page.getByRole('textbox', { name: /^For whom or what/ }).fill('Hartmann & Partner, first quarter')
  await page.getByRole('button', { name: 'Export the evidence' }).click()
  const download = page.getByRole('button', { name: /^Download the archive/ })
  await expect(download).toBeVisible({ timeout: 120_000 })
  const first = new URL(page.url()).pathname
  const facts = page.getByRole('region', { name: 'The archive', exact: true })
  await expect(facts.getByText('None', { exact: true })).toBeVisible()
  const [earlier] = await Promise.all([page.waitForEvent('download'), download.click()])
  await expect(facts.getByRole('list', { name: 'Downloads' }).getByRole('listitem')).toHaveCount(1)
  await expect(facts.getByRole('list', { name: 'Downloads' })).toContainText('vera,')

  await page.getByRole('link', { name: 'Ask for the same again' }).click()
  await expect(page.getByRole('radio', { name: 'As before' })).toBeChecked()
  await expect(page.getByRole('textbox', { name: /^For whom or what/ })).toHaveValue(
    'Hartmann & Partner, first quarter',
  )
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Export the evidence' }).click()
  await expect(download).toBeVisible({ timeout: 120_000 })
  expect(new URL(page.url()).pathname).not.toBe(first)
  await expect(facts.locator(`a[href="${first}"]`)).toBeVisible()
  await expect(facts.getByText(/by Vera Lindqvist/).first()).toBeVisible()

  const heading = page.getByRole('heading', { level: 1 })
  await expect(heading).toHaveText(/^Evidence of .* \(UTC\)$/)
  const here = page.getByRole('region', { name: 'Verify here' })
  await here.getByRole('button', { name: 'Verify the archive here' }).click()
  await expect(heading).toHaveText(/: (?:all five answers hold|four answers hold, one was not checked)$/, {
    timeout: 120_000,
  })
  const compared = here.getByText('Other archive', { exact: true })
  await expect(compared).toHaveCount(0)
  await here.getByText('Compare it with more than the published keys').click()
  const other = here.getByLabel(/^Another archive of the same organisation/)
  await other.setInputFiles(await earlier.path())
  await here.getByRole('button', { name: 'Verify again' }).click()
  // One of the checks that hold, which are folded.
  await expect(compared).toBeAttached({ timeout: 60_000 })
  await expect(heading).toHaveText(/hold/)

  troubles.expect(codeIsLost)
  const code = await loseCode(page)
  const save = page.getByRole('button', { name: 'Report for people' })
  await save.click()
  await expect(page.getByText('what reads its report could not be loaded')).toBeVisible()
  await code.reach()
  const [report] = await Promise.all([page.waitForEvent('download'), save.click()])
  expect(report.suggestedFilename()).toMatch(/^evidence-room-[0-9a-f-]{36}-report\.html$/)
  expect(await readFile(await report.path(), 'utf8')).toContain('Hartmann &#38; Partner, first quarter')
  await expect(page.getByText('The report is in your downloads.')).toBeVisible()
  await expectEveryView(page, 'evidence-archive')
})

test('a person who may read evidence and raw payloads exports them unmasked, for a recorded reason', async ({
  page,
  origin,
}) => {
  // An order whose customer has an e-mail address, which is masked everywhere else.
  await waitingRefund(origin, { orderId: 'A-1003' })
  const username = await signInInvited(page, origin, { name: 'rosa', roles: ['auditor', 'privacy_officer'] })

  await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'))
  await page.goto(`/t/${externalId()}/evidence/new`)
  const why = page.getByRole('textbox', { name: 'Why are sensitive values needed?' })
  const review = page.getByRole('region', { name: '3. Review' })
  await expect(review).toContainText('sensitive values masked')
  await expect(why).toBeHidden()
  await page.getByRole('checkbox', { name: /^Raw payloads/ }).check()
  await expect(review).toContainText('sensitive values unmasked')
  await page.getByRole('button', { name: 'Export the evidence' }).click()
  await expect(page.getByText('A justification must have 20 to 2,000 characters')).toBeVisible()
  await expectAccessible(page)
  await why.fill('The customer asks which of her data the agent has seen.')
  await page.getByRole('button', { name: 'Export the evidence' }).click()
  const button = page.getByRole('button', { name: /^Download the archive/ })
  await expect(button).toBeVisible({ timeout: 120_000 })
  await expect(page.getByText('With proofs, sensitive values unmasked')).toBeVisible()
  await page.getByText(/^\d+ files, .* unpacked$/).click()
  const raw = page.getByRole('table', { name: 'Files of the archive' }).getByText(/data\/raw\/.*values\.ndjson/)
  await expect(raw.first()).toBeVisible()
  await expectAccessible(page)
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()])

  const folder = await mkdtemp(join(tmpdir(), 'countersign-raw-'))
  try {
    const top = await extractArchive(await readFile(await download.path()), join(folder, 'archive'))
    const { stdout } = await run('bash', ['-c', 'cat data/raw/*.values.ndjson'], { cwd: top, maxBuffer: 2 ** 28 })
    expect(stdout).toContain('grace.okafor@mail.example')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  const records = await call<{ items: { reason: string | null; actor: { name: string } }[] }>(
    origin,
    await personToken(origin, 'vera'),
    'query',
    'audit.list',
    { limit: 200 },
  )
  expect(
    records.items.find(({ reason }) => reason === 'The customer asks which of her data the agent has seen.')?.actor
      .name,
  ).toBe(username)
})

test('an unknown export is not found, and an invalid period is explained', async ({ signedIn, troubles }) => {
  troubles.expect(/status of 404/)
  const page = await signedIn('vera')
  await page.goto(`/t/${externalId()}/evidence/0198c000-0000-7000-8000-000000000001`)
  await expect(page.getByText('The export can’t be found.')).toBeVisible()
  await page.goto(`/t/${externalId()}/evidence/new`)
  await page.getByRole('radio', { name: 'Other days' }).check()
  await page.getByRole('button', { name: 'Export the evidence' }).click()
  await expect(page.getByText('Enter the first day.')).toBeVisible()
  await page.getByLabel('First day (UTC)').fill('2026-01-02')
  await page.getByLabel('Last day (UTC)').fill('2026-01-01')
  await expect(page.getByText('Choose a last day that is not before the first day.')).toBeVisible()
  await expectAccessible(page)
})

test('Jonas, who is not an auditor, is shown which roles may see evidence', async ({ signedIn }) => {
  const page = await signedIn('jonas')
  await page.goto(`/t/${externalId()}/evidence`)
  await expect(page.getByText('You don’t have permission to see evidence exports.')).toBeVisible()
  await expect(page.getByText(/auditor/)).toBeVisible()
  await expectAccessible(page)
})
