import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonValue } from '#lib/json.ts'
import { type Outside, verifyArchive } from '#lib/verify/verify.ts'
import { currentVerifierKey } from '#server/audit/notes/checkpoint-note.ts'
import { parseNote } from '#server/audit/notes/signed-note.ts'
import { sealLog } from '#server/audit/sealing/log-name.ts'
import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { askWitness } from '#server/audit/witnesses/ask-witness.ts'
import { auditorOf, exportRuntime, fetchArchive } from '#server/testing/exports.ts'
import { readArchiveFiles } from '#server/testing/extract.ts'
import { TestWitness } from '#server/testing/fakes/witness.ts'
import { packArchive, resealed } from '#server/testing/forged-archive.ts'
import { asOwner } from '#server/testing/owner.ts'
import { runVerifier } from '#server/testing/processes/verify-process.ts'
import { publishedKeys } from '#server/testing/published-keys.ts'
import type { TestTenant } from '#server/testing/tenant.ts'
import { openChromium } from '../../bench/chromium.ts'
import { evidenceVerify } from '../../cli/countersign/commands/verify.ts'

// A witness's cosignature in an archive, and its key from the witness: what the verifiers conclude about freshness.

const seals = 'data/proofs/seals.checkpoint'
const witness = new TestWitness()
let runtime: Awaited<ReturnType<typeof exportRuntime>>
let folder: string
let tenant: TestTenant
let top: string
let zip: string
let openZip: string
let files: Map<string, Buffer>
/** Of closed days only, and with the open day. */
let [closed, open]: [Blob, Blob] = [new Blob(), new Blob()]
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'witnessed-'))
  const asked = await witness.listen()
  const configured = join(folder, 'witnesses.json')
  await writeFile(configured, JSON.stringify({ witnesses: [{ url: 'https://witness.example', vkey: witness.vkey() }] }))
  runtime = await exportRuntime({ LOG_WITNESSES: configured })
  tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  const today = new Date().toISOString().slice(0, 10)
  const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10)
  await asOwner(runtime, 'insert into audit_days (tenant_id, date, size) values ($1, $2, 0)', [tenant.id, yesterday])
  await signTenant(tenant.id)
  const key = await runtime.database.inTenant(tenant.id, (tx) => currentVerifierKey(tx, tenant, sealLog))
  witness.keys.set(`localhost:3000/t/${tenant.externalId}/seals`, key)
  await askWitness(tenant, asked)
  const archiveUntil = async (end: string) => {
    const period = { startDate: `${yesterday}T00:00:00Z`, endDate: end, includeProofs: true }
    const job = await runtime.make(tenant, auditor, period)
    expect(job.error).toBeNull()
    return await fetchArchive(auditor, job.exportId)
  }
  const bytes = await archiveUntil(`${today}T00:00:00Z`)
  closed = new Blob([new Uint8Array(bytes)])
  top = (await runtime.extract('closed', bytes)).top
  files = await readArchiveFiles(top)
  zip = join(folder, 'closed.zip')
  await writeFile(zip, bytes)
  const openBytes = await archiveUntil(new Date(Date.now() + 86_400_000).toISOString())
  open = new Blob([new Uint8Array(openBytes)])
  openZip = join(folder, 'open.zip')
  await writeFile(openZip, openBytes)
})
afterAll(async () => {
  await runtime.close()
  await witness.close()
  await rm(folder, { recursive: true })
})

async function freshnessOf(archive: Blob, outside: Outside) {
  const { checks, verdicts } = await verifyArchive(archive, outside)
  const found = checks.filter(({ verdict }) => verdict === 'freshness')
  return {
    freshness: verdicts.freshness,
    ...Object.fromEntries(found.map(({ name, state, detail }) => [name, `${state}: ${detail}`])),
  }
}

/** The archive with another text below the signature of the head of closed days, sealed again. */
const withCosignature = async (line: string) => {
  const { text } = parseNote(String(files.get(seals)))
  const [own = ''] = String(files.get(seals))
    .slice(text.length + 1)
    .split('\n')
  const changed = resealed(files, {
    files: (content) => void content.set(seals, Buffer.from(`${text}\n${own}\n${line}`)),
  })
  const folderName = top.split('/').at(-1) ?? ''
  return new Blob([new Uint8Array(await packArchive(folderName, changed))])
}

describe('the key of a witness', () => {
  test('that signed the newest head shows that the archive is fresh, and says up to when it knows', async () => {
    const found = await freshnessOf(closed, { witness: witness.vkey() })
    expect(found).toEqual({
      freshness: 'holds',
      Witness:
        'holds: witness.example/w1 (2027-01-15 08:00 UTC) signed the newest head of the log of closed days, which has 1.',
      'Newest head': expect.stringMatching(
        /^holds: A witness whose key you gave signed its newest head\. It knows the log up to .* UTC, \d+ minutes? ago: its newest head has 1 closed day, up to \d{4}-\d\d-\d\d\.$/,
      ),
    })
    expect((await freshnessOf(closed, {})).freshness).toBe('not checked')
  })

  test('says nothing about an open day', async () => {
    const found = await freshnessOf(open, { witness: witness.vkey() })
    expect(found).toMatchObject({
      freshness: 'not checked',
      Witness: expect.stringContaining('holds: witness.example/w1'),
      'Newest head': expect.stringMatching(
        /^not checked: Witnesses sign closed days only\..* newest head has \d+ records of/,
      ),
    })
  })

  test('that did not sign, or that is not one, leaves freshness unchecked', async () => {
    for (const [key, reason] of [
      [new TestWitness().vkey(), 'No signature of witness.example/w1 is in the archive.'],
      ['witness.example/w1+00000000+AAAA', 'A witness’s key has the form name+id+base64.'],
      [witness.vkey().replace('witness.example', 'other.example'), 'does not match its key id'],
    ])
      expect(await freshnessOf(closed, { witness: key })).toMatchObject({
        freshness: 'not checked',
        Witness: expect.stringContaining(`${reason}`),
      })
    const both = `${new TestWitness().vkey()}\n${witness.vkey()}`
    expect((await freshnessOf(closed, { witness: both })).freshness).toBe('holds')
  })

  test('contradicts an archive whose cosignature belongs to another head', async () => {
    const { text } = parseNote(String(files.get(seals)))
    const same = await withCosignature(witness.line(text))
    expect((await freshnessOf(same, { witness: witness.vkey() })).freshness).toBe('holds')
    const other = await withCosignature(witness.line(text.replace('\n1\n', '\n2\n')))
    expect(await freshnessOf(other, { witness: witness.vkey() })).toMatchObject({
      freshness: 'fails',
      Witness: 'fails: The cosignature of the witness witness.example/w1 belongs to another head than this one.',
    })
    const published = async ({ heads }: Parameters<NonNullable<Outside['published']>>[0]) =>
      await publishedKeys(tenant, heads)
    expect(await freshnessOf(other, { published })).toMatchObject({
      freshness: 'fails',
      'Newest head': expect.stringContaining('belongs to another head'),
    })
    expect(await freshnessOf(closed, { published })).toMatchObject({
      freshness: 'holds',
      'Newest head': expect.stringContaining(
        'The service’s witnesses signed the archive’s head, too: witness.example/w1',
      ),
    })
  })
})

test('log-keys.json names the witnesses with their keys', async () => {
  expect(await publishedKeys(tenant)).toMatchObject({
    witnesses: [{ name: witness.name, vkey: witness.vkey() }],
  })
})

test('verify.mjs accepts it as --witness', async () => {
  const { status, stdout } = await runVerifier(top, [zip, '--witness', witness.vkey()])
  expect(status).toBe(3)
  expect(stdout).toContain('FRESHNESS: holds.')
  const twice = await runVerifier(top, [zip, '--witness', new TestWitness().vkey(), '--witness', witness.vkey()])
  expect(twice.stdout).toContain('FRESHNESS: holds.')
})

describe('the command line', () => {
  const run = async (format: 'table' | 'json', ...args: string[]) => {
    const said = { out: '', error: '' }
    const output = {
      out: (text: string) => {
        said.out += text
      },
      error: (text: string) => {
        said.error += text
      },
      ...({ format, errors: 'text', isTerminal: false } as const),
    }
    const code = await evidenceVerify.run({ args: [zip, ...args], environment: {}, output })
    return { code, ...said }
  }

  test('prints whose archive it is and the key in words before any verdict', async () => {
    const { code, out } = await run('table', '--witness', witness.vkey())
    expect(code).toBe(5)
    const before = out.slice(0, out.indexOf('Integrity '))
    for (const label of [
      'Archive',
      'Organisation',
      'Period',
      'Sealed',
      'Contents',
      'Left out',
      'Key in words',
      'Key fingerprint',
    ])
      expect(before).toMatch(new RegExp(`^${label} +\\S`, 'm'))
    expect(before).toContain(tenant.externalId)
    expect(out).toMatch(/^Freshness +holds$/m)
    expect(out).toContain('It knows the log up to')
  })

  test('has the same in JSON, accepts the words as the key, and refuses a certificate that can’t be read', async () => {
    const first: { [name: string]: JsonValue } = JSON.parse((await run('json')).out)
    expect(first).toMatchObject({
      about: {
        tenant: { externalId: tenant.externalId },
        omissions: [],
        openDays: [],
        scope: null,
        sealedAt: expect.any(String),
      },
      keyInWords: expect.stringMatching(/^(\w+ ){11}\w+$/),
      verdicts: { origin: 'not checked' },
    })
    const known = await run('json', '--key', String(first.keyInWords), '--tsa', join(top, 'seal/seal.pub.pem'))
    expect(JSON.parse(known.out)).toMatchObject({ verdicts: { origin: 'holds' } })
    await expect(run('json', '--tsa', join(folder, 'missing.pem'))).rejects.toThrow('missing.pem can’t be read')
  })
})

test('verify.html accepts it, and draws one record’s way to the signed root without another script', async () => {
  const browser = await openChromium()
  try {
    const page = await browser.newPage()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const address = pathToFileURL(join(top, 'verify.html')).href
    await page.goto(address)
    await page.getByLabel('Key of a witness').fill(witness.vkey())
    await page.locator('#archive').setInputFiles(zip)
    await page.getByRole('heading', { name: 'Freshness: holds' }).waitFor()
    expect(await page.locator('#ladder').textContent()).toBe('')
    await page.locator('#archive').setInputFiles(openZip)
    await page.getByRole('heading', { name: 'One record’s way to the signed root' }).waitFor()
    expect(await page.locator('#ladder').textContent()).toContain('this browser reaches the signed root.')
    const size = Number(/number \d+ of (\d+) on/.exec((await page.locator('#ladder h2').textContent()) ?? '')?.[1])
    expect(await page.locator('.ladder li').count()).toBeGreaterThan(Math.floor(Math.log2(size)))
    expect(await page.locator('.ladder span', { hasText: 'this record' }).count()).toBe(1)
    expect(await page.locator('.ladder span', { hasText: 'root' }).count()).toBe(1)
    expect(await page.locator('script').count()).toBe(1)
    expect(asked).toEqual([address])
    for (const [name, width, scheme] of [
      ['wide', 1440, 'light'],
      ['narrow', 390, 'dark'],
    ] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.setViewportSize({ width, height: 900 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
      if (process.env.E2E_PICTURES)
        await page.screenshot({ path: join(process.env.E2E_PICTURES, `verify-html-${name}.png`), fullPage: true })
    }
  } finally {
    await browser.close()
  }
})
