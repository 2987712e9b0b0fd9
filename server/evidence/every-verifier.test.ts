import { spawnSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { State } from '#lib/verify/report.ts'
import { verdictNames } from '#lib/verify/report.ts'
import { verifyArchive } from '#lib/verify/verify.ts'
import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { archiveBombs } from '#server/testing/archive-bombs.ts'
import { type ArchiveChange, archiveChanges, changesFromElsewhere } from '#server/testing/archive-changes.ts'
import { insertBoundRows } from '#server/testing/configuration.ts'
import { exportRuntime, fetchArchive, twoDaysArchive } from '#server/testing/exports.ts'
import { readArchiveFiles, writeArchiveFiles } from '#server/testing/extract.ts'
import { runVerifier } from '#server/testing/processes/verify-process.ts'
import { countCases, sized } from '#server/testing/properties/counts.ts'
import { publishedKeys } from '#server/testing/published-keys.ts'
import { readmeSteps } from '#server/testing/readme-steps.ts'
import { sendTelemetry } from '#server/testing/send-telemetry.ts'
import { openChromium } from '../../bench/chromium.ts'
import { evidenceVerify } from '../../cli/countersign/commands/verify.ts'

// Changed archives and all verifiers: verify.mjs with its exit code, verify.html in a browser, the command line, and the commands of
// README.txt with sha256sum and openssl. At least 300 in npm run proof; npm test gives each a few, and always those from
// elsewhere. archive-changes.test.ts gives all of them to the modules that these programs are made of.

const share = sized(3, 150)
const bombBytes = 20 * 1024 * 1024
const changed = 5

let runtime: Awaited<ReturnType<typeof exportRuntime>>
let changes: ArchiveChange[]
let original: { bytes: Buffer; fingerprint: string; keys: string; top: string }
let folder: string
beforeAll(async () => {
  runtime = await exportRuntime()
  folder = join(runtime.config.dataDir, 'verifiers')
  await mkdir(folder)
  const earlier = await twoDaysArchive(runtime, async (tenant, auditor) => {
    await insertBoundRows(runtime, tenant, auditor)
    await sendTelemetry(tenant)
  })
  const { tenant, auditor, yesterday, today } = earlier
  const keysThen = await publishedKeys(tenant)
  await runtime.database.inTenant(tenant.id, (tx) =>
    appendAudit(tx, tenant, { actor: systemActor, action: 'test.noted', resource: { type: 'test', id: 'x' } }),
  )
  await signTenant(tenant.id)
  const job = await runtime.make(tenant, auditor, {
    startDate: `${yesterday}T00:00:00Z`,
    endDate: new Date(Date.now() + 86_400_000).toISOString(),
    includeProofs: true,
  })
  const bytes = await fetchArchive(auditor, job.exportId)
  const filesOf = async (name: string, archive: Buffer) =>
    await readArchiveFiles((await runtime.extract(name, archive)).top)
  const { top } = await runtime.extract('original', bytes)
  const files = await readArchiveFiles(top)
  const source = { bytes, folder: `evidence-room-${job.exportId}`, files, today }
  const other = await twoDaysArchive(runtime)
  const elsewhere = changesFromElsewhere(source, {
    earlier: await filesOf('earlier', earlier.bytes),
    keysThen,
    other: { bytes: other.bytes, files: await filesOf('other', other.bytes) },
  })
  const bombs = archiveBombs(source, bombBytes).slice(0, sized(16, 2))
  changes = [
    ...elsewhere,
    ...bombs.map(({ says, ...bomb }) => ({ ...bomb, ...(says === undefined ? {} : { says }) })),
    ...archiveChanges(source).filter((_, index) => index % share === 0),
  ]
  const keys = join(folder, 'log-keys.json')
  const { fingerprint = '' } = await verifyArchive(new Blob([new Uint8Array(bytes)]), {
    async published({ heads }) {
      const list = await publishedKeys(tenant, heads)
      await writeFile(keys, JSON.stringify(list))
      return list
    },
  })
  original = { bytes, fingerprint, keys, top }
}, 300_000)
afterAll(() => runtime.close())

/** Writes the archive, and what the reader has, for programs that open files. */
async function written({ make, keys }: Pick<ArchiveChange, 'make' | 'keys'>) {
  const zip = join(folder, 'changed.zip')
  await writeFile(zip, await make())
  const list = join(folder, 'keys-of-case.json')
  await writeFile(list, JSON.stringify(keys ?? null))
  return { zip, list: keys === undefined ? undefined : list }
}

test('there are at least 300 changes in npm run proof', () => {
  expect(changes.length).toBeGreaterThanOrEqual(sized(300, 10))
})

test('verify.mjs: each gets its verdicts, and an exit code that is not 0', async (context) => {
  const { top, fingerprint, keys } = original
  const zip = join(folder, 'true.zip')
  await writeFile(zip, original.bytes)
  const unchanged = await runVerifier(top, [zip, '--fingerprint', fingerprint, '--keys', keys])
  expect({ status: unchanged.status, stdout: unchanged.stdout }).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Everything agrees.'),
  })
  for (const change of changes) {
    const { name, expected, says } = change
    const { zip: path, list } = await written(change)
    const given = [path, '--fingerprint', fingerprint, ...(list === undefined ? [] : ['--keys', list])]
    const { status, stdout, stderr } = await runVerifier(top, given)
    const states = Object.fromEntries(
      [...stdout.matchAll(/^([A-Z]+): (holds|fails|not checked)\./gm)].map(([, verdict = '', state]) => [
        verdict.toLowerCase(),
        state,
      ]),
    )
    // 2: it can’t be read as an archive at all.
    if (status === 2) expect({ name, expected, states }).toEqual({ name, expected: { integrity: 'fails' }, states: {} })
    else expect({ name, status, states }).toMatchObject({ name, status: 1, states: expected })
    expect({ name, stderr }).toEqual({ name, stderr: '' })
    if (says !== undefined) expect({ name, stdout }).toEqual({ name, stdout: expect.stringContaining(says) })
  }
  countCases(context, changes.length)
}, 3_600_000)

test('the command line: each gets its verdicts, and exit code 5', async (context) => {
  const run = async (path: string, list: string | undefined) => {
    const said = { out: '', error: '' }
    const output = {
      out: (text: string) => {
        said.out += text
      },
      error: (text: string) => {
        said.error += text
      },
      ...({ format: 'json', errors: 'json', isTerminal: false } as const),
    }
    const args = [path, '--key', original.fingerprint, ...(list === undefined ? [] : ['--keys', list])]
    const code = await evidenceVerify.run({ args, environment: {}, output })
    return { code, error: said.error, ...JSON.parse(said.out) }
  }
  const zip = join(folder, 'true.zip')
  await writeFile(zip, original.bytes)
  expect(await run(zip, original.keys)).toMatchObject({ code: undefined, everything: true, error: '' })
  for (const change of changes) {
    const { zip: path, list } = await written(change)
    const { code, error, verdicts } = await run(path, list)
    const { name, expected } = change
    expect({ name, code, error, verdicts }).toMatchObject({ name, code: changed, error: '', verdicts: expected })
  }
  countCases(context, changes.length)
}, 3_600_000)

test('verify.html: each gets its verdicts, in a browser', async (context) => {
  const browser: Browser = await openChromium()
  try {
    const page = await browser.newPage()
    await page.goto(pathToFileURL(join(original.top, 'verify.html')).href)
    const zip = join(folder, 'true.zip')
    await writeFile(zip, original.bytes)
    await page.locator('#fingerprint').fill(original.fingerprint)
    await page.locator('#keys').setInputFiles(original.keys)
    expect(await verdictsOn(page, zip)).toMatchObject({ conclusion: 'Everything agrees.' })
    for (const change of changes) {
      const { zip: path, list } = await written(change)
      await page.locator('#archive').setInputFiles([])
      await page.locator('#keys').setInputFiles(list ?? [])
      const { name, expected } = change
      expect({ name, ...(await verdictsOn(page, path)) }).toMatchObject({
        name,
        conclusion: 'This archive is not valid. Do not rely on it.',
        states: expected,
      })
    }
    countCases(context, changes.length)
  } finally {
    await browser.close()
  }
}, 3_600_000)

/** Chooses an archive and waits for the conclusion. */
async function verdictsOn(page: Page, path: string) {
  await page.locator('#archive').setInputFiles([])
  await page.evaluate(() => document.getElementById('conclusion')?.replaceChildren())
  await page.locator('#archive').setInputFiles(path)
  const conclusion = page.locator('#conclusion', {
    hasText: /^(This archive is|Everything agrees|Nothing contradicts)/,
  })
  await conclusion.waitFor({ timeout: 120_000 })
  const titles = await page.locator('#verdicts h2').allTextContents()
  const states = Object.fromEntries(
    titles.map((title): [string, State] => {
      const [name = '', state = ''] = title.split(': ')
      return [name.toLowerCase(), state as State]
    }),
  )
  expect(Object.keys(states)).toEqual([...verdictNames])
  return { conclusion: await conclusion.textContent(), states }
}

/** What follows the last line of a PEM means nothing to openssl, and it reads two spellings of some base64. */
const meaningless = /seal\.pub\.pem: (?:a newline|the last byte|a bit in its last byte)/

test('README.txt: each is found by its commands with sha256sum and openssl', async (context) => {
  const readme = (await readArchiveFiles(original.top)).get('README.txt')
  const steps = readmeSteps(readme, ['1', '2', '3', '4', '5', '12'])
  const [fingerprintOf = ''] = readmeSteps(readme, ['6'])
  const passes = async (files: ReadonlyMap<string, Buffer>) => {
    const top = await writeArchiveFiles(join(folder, 'readme'), files)
    const sh = (command: string) => spawnSync('sh', ['-c', command], { cwd: top, encoding: 'utf8' })
    const found =
      steps.every((command) => sh(command).status === 0) && sh(fingerprintOf).stdout.startsWith(original.fingerprint)
    await rm(top, { recursive: true })
    return found
  }
  expect(await passes(await readArchiveFiles(original.top))).toBe(true)
  let cases = 0
  for (const { name, files } of changes) {
    if (files === undefined || meaningless.test(name)) continue
    expect({ name, passes: await passes(files) }).toEqual({ name, passes: false })
    cases += 1
  }
  expect(cases).toBeGreaterThan(sized(200, 5))
  countCases(context, cases)
}, 3_600_000)
