import { spawnSync } from 'node:child_process'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyBundle } from '#lib/verify-bundle.ts'
import { signTenant } from '#server/audit/sealing/sealer.ts'
import { preAuthenticationEncoding } from '#server/evidence/archive/sigstore.ts'
import { verifyPage } from '#server/evidence/archive/verify-page.ts'
import { openZip } from '#server/evidence/archive/zip-writer.ts'
import { auditorOf, exportRuntime, fetchArchive } from '#server/testing/exports.ts'
import { asOwner } from '#server/testing/owner.ts'
import { countCases } from '#server/testing/properties/counts.ts'

// The verifier that lies in every archive, on real archives: it accepts a good one and nothing else.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
let bytes: Buffer
let top: string
let folder: string
let files: Map<string, Buffer>
let fingerprint: string
let yesterday: string
let today: string
beforeAll(async () => {
  runtime = await exportRuntime()
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  today = new Date().toISOString().slice(0, 10)
  yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10)
  await asOwner(runtime, 'insert into audit_days (tenant_id, date, size) values ($1, $2, 0)', [tenant.id, yesterday])
  await signTenant(tenant.id)
  const job = await runtime.make(tenant, auditor, {
    startDate: `${yesterday}T00:00:00Z`,
    endDate: new Date(Date.now() + 86_400_000).toISOString(),
    includeProofs: true,
  })
  bytes = await fetchArchive(auditor, job.exportId)
  top = (await runtime.extract('bundle', bytes)).top
  folder = top.split('/').at(-1) ?? ''
  const names = (await readdir(top, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  files = new Map(
    await Promise.all(
      names.map(async (entry): Promise<[string, Buffer]> => {
        const path = join(entry.parentPath, entry.name)
        return [path.slice(top.length + 1), await readFile(path)]
      }),
    ),
  )
  const { signer } = JSON.parse(String(files.get('manifest.json')))
  fingerprint = signer.fingerprint.replace('sha256:', '')
})
afterAll(() => runtime.close())

async function* once(data: Buffer) {
  yield data
}

async function packed(content: Iterable<[string, Buffer]>): Promise<Blob> {
  const out = new PassThrough()
  const zip = openZip(out)
  const whole = buffer(out)
  for (const [path, data] of content) await zip.write(`${folder}/${path}`, once(data))
  await zip.finish()
  return new Blob([new Uint8Array(await whole)])
}
const changed = (path: string, data: Buffer) => packed(new Map([...files, [path, data]]))
const failed = async (file: Blob) => {
  const { ok, checks } = await verifyBundle(file)
  expect(ok).toBe(checks.every((check) => check.ok))
  return checks.filter((check) => !check.ok).map((check) => check.name)
}

describe('the verifier', () => {
  test('accepts an unchanged archive, names its key, and checks the log of each day and its seal', async () => {
    const report = await verifyBundle(new Blob([new Uint8Array(bytes)]))
    expect(report.checks.filter((check) => !check.ok)).toEqual([])
    expect(report).toMatchObject({ ok: true, fingerprint, exportId: folder.replace('evidence-room-', '') })
    expect(report.checks.map((check) => check.name)).toEqual([
      'Archive',
      'Files',
      'Description',
      'Seal',
      'Sigstore bundle',
      `Log of ${yesterday}`,
      `Seal log, ${yesterday}`,
      `Log of ${today}`,
    ])
    expect(await failed(await packed(files))).toEqual([])
  })

  test('finds a changed, a missing and an added byte in every file', async (context) => {
    let cases = 0
    for (const [path, data] of files) {
      const variants: Buffer[] = [Buffer.concat([data, Buffer.from('x')])]
      if (data.length > 0) {
        variants.push(data.subarray(1))
        for (const at of new Set([0, data.length >> 2, data.length >> 1])) {
          const flipped = Buffer.from(data)
          flipped[at] = (flipped[at] ?? 0) ^ 1
          variants.push(flipped)
        }
      }
      // A PEM with more after its end is the same key.
      for (const variant of path.endsWith('.pem') ? variants.slice(2, 3) : variants) {
        expect(await failed(await changed(path, variant)), path).not.toEqual([])
        cases += 1
      }
    }
    expect(cases).toBeGreaterThan(80)
    countCases(context, cases)
  })

  test('finds a file that is missing, added or renamed', async () => {
    for (const path of files.keys()) {
      const without = new Map(files)
      without.delete(path)
      expect(await failed(await packed(without)), path).not.toEqual([])
    }
    expect(await failed(await changed('data/more.ndjson', Buffer.from('{}\n')))).toEqual(['Files'])
    expect(await failed(await packed([...files, ['../outside', Buffer.alloc(1)]]))).toEqual(['Archive'])
    expect(await failed(await packed([...files, ['bagit.txt', Buffer.alloc(1)]]))).toEqual(['Archive'])
    expect(await failed(new Blob(['nothing']))).toEqual(['Archive'])
  })

  test('hashes a file that is too large for memory in pieces, and reports its progress', async () => {
    const path = 'data/large.ndjson'
    const large = Buffer.alloc(65 * 1024 * 1024, 'evidence\n')
    const digest = createHash('sha256').update(large).digest('hex')
    const list = Buffer.from(`${files.get('manifest-sha256.txt')}${digest}  ${path}\n`)
    const withLarge = (data: Buffer) => packed(new Map([...files, ['manifest-sha256.txt', list], [path, data]]))
    const shares: number[] = []
    const { checks } = await verifyBundle(await withLarge(large), undefined, (share) => shares.push(share))
    // The list is not the one that was sealed; the files hold.
    expect(checks.filter((check) => !check.ok).map((check) => check.name)).toEqual(['Description', 'Seal'])
    expect(shares.length).toBeGreaterThan(files.size)
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    expect(shares.at(-1)).toBeGreaterThan(0.99)
    large[40_000_000] = 0
    expect(await failed(await withLarge(large))).toEqual(['Files', 'Description', 'Seal'])
  }, 60_000)

  test('finds a record that was changed together with both lists of files', async () => {
    const path = `data/audit/${today}.ndjson`
    const forged = new Map(files)
    const sum = (data: Buffer | undefined) =>
      createHash('sha256')
        .update(data ?? '')
        .digest('hex')
    const replace = (list: string, from: string, to: string) =>
      forged.set(list, Buffer.from(String(forged.get(list)).replace(from, to)))
    forged.set(path, Buffer.from(String(files.get(path)).replace('person', 'system')))
    replace('manifest-sha256.txt', sum(files.get(path)), sum(forged.get(path)))
    replace('tagmanifest-sha256.txt', sum(files.get('manifest-sha256.txt')), sum(forged.get('manifest-sha256.txt')))
    expect(await failed(await packed(forged))).toEqual(['Seal', 'Sigstore bundle', `Log of ${today}`])
  })
})

test('verify.html contains the whole verifier, allows no other script, and works without a network', () => {
  const script = /<script type="module">([\s\S]+)<\/script>/.exec(verifyPage())?.[1] ?? ''
  expect(script).toContain('async function verifyBundle(')
  expect(script).not.toMatch(/\bimport\b|\bfetch\(|https?:\/\//)
  // Two files became one, so no name may occur in both.
  const parsed = spawnSync(process.execPath, ['--input-type=module'], { input: script, encoding: 'utf8' })
  expect(parsed.stderr).not.toContain('SyntaxError')
  const digest = createHash('sha256').update(script).digest('base64')
  expect(verifyPage()).toContain(`default-src 'none'; script-src 'sha256-${digest}'`)
  expect(String(files.get('verify.html'))).toBe(verifyPage())
})

describe('seal/bundle.sigstore.json', () => {
  test('is signed over the pre-authentication encoding, as openssl sees it, and names the sealed files', async () => {
    const { dsseEnvelope, mediaType } = JSON.parse(String(files.get('seal/bundle.sigstore.json')))
    expect(mediaType).toBe('application/vnd.dev.sigstore.bundle.v0.3+json')
    const payload = Buffer.from(dsseEnvelope.payload, 'base64')
    await writeFile(join(top, 'pae'), preAuthenticationEncoding(dsseEnvelope.payloadType, payload))
    await writeFile(join(top, 'sig'), Buffer.from(dsseEnvelope.signatures[0].sig, 'base64'))
    const openssl = spawnSync(
      'openssl',
      'pkeyutl -verify -pubin -inkey seal/seal.pub.pem -rawin -in pae -sigfile sig'.split(' '),
      { cwd: top, encoding: 'utf8' },
    )
    expect(openssl.stdout).toContain('Signature Verified Successfully')
    const { subject, _type } = JSON.parse(payload.toString())
    expect(_type).toBe('https://in-toto.io/Statement/v1')
    for (const { name, digest } of subject)
      expect(
        createHash('sha256')
          .update(files.get(name) ?? '')
          .digest('hex'),
      ).toBe(digest.sha256)
    expect(subject.map(({ name }: { name: string }) => name)).toEqual(['manifest.json', 'tagmanifest-sha256.txt'])
  })

  test('uses the encoding of the published vector', () => {
    const { dsse } = JSON.parse(readFileSync(join(import.meta.dirname, 'vectors/dsse-and-webhooks.json'), 'utf8'))
    const message = preAuthenticationEncoding(dsse.payloadType, Buffer.from(dsse.payload))
    expect(message.toString()).toBe(dsse.pae)
    const coordinate = (value: string) =>
      Buffer.from(BigInt(value).toString(16).padStart(64, '0'), 'hex').toString('base64url')
    const jwk = { kty: 'EC', crv: 'P-256', x: coordinate(dsse.X), y: coordinate(dsse.Y) }
    const key = createPublicKey({ format: 'jwk', key: jwk })
    const signature = Buffer.from(dsse.sig, 'base64')
    expect(verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true)
  })
})
