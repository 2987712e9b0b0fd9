import { spawnSync } from 'node:child_process'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { isJsonObject, type JsonObject } from '#lib/json.ts'
import { wordsOf } from '#lib/verify/fingerprint/words.ts'
import type { Heads } from '#lib/verify/freshness.ts'
import { verifyArchive } from '#lib/verify/verify.ts'
import { logKeysRoute } from '#server/audit/monitors/log-keys-route.ts'
import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { preAuthenticationEncoding } from '#server/evidence/archive/sigstore.ts'
import { verifiers } from '#server/evidence/archive/verify-page.ts'
import { exportRuntime, twoDaysArchive } from '#server/testing/exports.ts'
import { readArchiveFiles } from '#server/testing/extract.ts'
import { packArchive, resealed } from '#server/testing/forged-archive.ts'
import { hiddenAfterStream, withPacked } from '#server/testing/packed-entry.ts'
import { countCases } from '#server/testing/properties/counts.ts'
import type { TestTenant } from '#server/testing/tenant.ts'

// The verifier that lies in every archive, on real archives: it accepts a good one and nothing else.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
let tenant: TestTenant
let bytes: Buffer
let top: string
let folder: string
let files: Map<string, Buffer>
let fingerprint: string
let yesterday: string
let today: string
beforeAll(async () => {
  runtime = await exportRuntime()
  ;({ tenant, bytes, yesterday, today } = await twoDaysArchive(runtime))
  top = (await runtime.extract('bundle', bytes)).top
  folder = top.split('/').at(-1) ?? ''
  files = await readArchiveFiles(top)
  const { signer } = JSON.parse(String(files.get('manifest.json')))
  fingerprint = signer.fingerprint.replace('sha256:', '')
})
afterAll(() => runtime.close())

const blobOf = (data: Buffer) => new Blob([new Uint8Array(data)])
const packed = async (content: Iterable<readonly [string, Buffer]>) => blobOf(await packArchive(folder, content))
const changed = (path: string, data: Buffer) => packed(new Map([...files, [path, data]]))
const failed = async (file: Blob) =>
  (await verifyArchive(file)).checks.filter((check) => check.state === 'fails').map((check) => check.name)

describe('the verifier', () => {
  test('finds nothing wrong with an unchanged archive, and says what it could not check', async () => {
    const report = await verifyArchive(blobOf(bytes))
    expect(report.checks.filter((check) => check.state === 'fails')).toEqual([])
    expect(report).toMatchObject({ fingerprint, exportId: folder.replace('evidence-room-', ''), everything: false })
    expect(report.verdicts).toEqual({
      integrity: 'holds',
      origin: 'not checked',
      log: 'holds',
      completeness: 'holds',
      freshness: 'not checked',
    })
    expect(report.about).toMatchObject({
      sealed: true,
      formatVersion: 2,
      masked: true,
      omissions: [],
      openDays: [today],
    })
    expect(report.checks.filter(({ state }) => state === 'holds').map((check) => check.name)).toEqual([
      'Container',
      'Seal',
      'Files',
      'Description',
      'Seal of the description',
      'Manifest',
      'Sigstore bundle',
      'Keys of the log',
      'Log of closed days',
      'Rows read at',
      'Other records',
      `Log of ${yesterday}`,
      `Seal of ${yesterday}`,
      `Log of ${today}`,
      'Earlier archive',
      'Rows',
      'Days',
      'Rows',
    ])
    // Said of every archive, without counting: the log holds.
    expect(report.checks.filter((check) => check.aside)).toMatchObject([
      { verdict: 'log', name: 'Report', state: 'not checked' },
      { verdict: 'log', name: 'Instructions and programs', state: 'not checked' },
    ])
    expect(await failed(await packed(files))).toEqual([])
  })

  test('compares the key with the fingerprint that the reader knows', async () => {
    const originOf = async (known: string) =>
      (await verifyArchive(blobOf(bytes), { fingerprint: known })).verdicts.origin
    expect(await originOf(fingerprint)).toBe('holds')
    expect(await originOf(`SHA256:${fingerprint.toUpperCase()}`)).toBe('holds')
    expect(await originOf(fingerprint.replace(/^./, (first) => (first === '0' ? '1' : '0')))).toBe('fails')
    expect(await originOf(wordsOf(fingerprint).join(' '))).toBe('holds')
    expect(await originOf(wordsOf('0'.repeat(64)).join(' '))).toBe('fails')
    expect(await originOf('no fingerprint')).toBe('not checked')
  })

  test('compares the keys and the log with what the service publishes', async () => {
    const fetched: string[] = []
    const published = async ({ externalId, heads }: { externalId: string; heads: Heads }) => {
      const query = new URLSearchParams({
        seals: String(heads.seals?.size),
        day: today,
        size: String(heads.open?.size),
      })
      const url = `http://localhost/.well-known/countersign/${externalId}/log-keys.json?${query}`
      fetched.push(url)
      return await (await logKeysRoute(new Request(url), { params: Promise.resolve({ externalId }) })).json()
    }
    const { externalId } = tenant
    const plain = new Request(`http://localhost/.well-known/countersign/${externalId}/log-keys.json`)
    const list = await (await logKeysRoute(plain, { params: Promise.resolve({ externalId }) })).json()
    const own = list.keys.find((key: JsonObject) => key.fingerprint === `sha256:${fingerprint}`)
    expect(own.words).toBe(wordsOf(fingerprint).join(' '))
    // The log has grown since the export.
    await signTenant(tenant.id)
    const { checks, verdicts } = await verifyArchive(blobOf(bytes), { published })
    expect(checks.filter((check) => check.state === 'fails')).toEqual([])
    expect(verdicts).toMatchObject({ integrity: 'holds', origin: 'holds', freshness: 'holds' })
    expect(fetched).toHaveLength(1)
    const unreachable = await verifyArchive(blobOf(bytes), { published: () => Promise.reject(new Error('no route')) })
    expect(unreachable.verdicts).toMatchObject({ origin: 'not checked', freshness: 'not checked' })
    const other = await runtime.tenant()
    const foreign = await verifyArchive(blobOf(bytes), {
      published: ({ heads }) => published({ externalId: other.externalId, heads }),
    })
    expect(foreign.verdicts).toMatchObject({ origin: 'fails', freshness: 'fails' })
    const older = await verifyArchive(blobOf(bytes), {
      published: async (about) => ({ ...(await published(about)), heads: { seals: null, day: null } }),
    })
    expect(older.verdicts).toMatchObject({ origin: 'holds', freshness: 'not checked' })
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
      for (const variant of variants) {
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
    const more = Buffer.from('{}\n')
    expect(await failed(await changed('data/more.ndjson', more))).toEqual(['Files'])
    expect(await failed(await changed('more.txt', more))).toEqual(['Description'])
    expect(await failed(await changed('seal/more.pem', more))).toEqual(['Description'])
  })

  test('refuses a time-stamp that someone added to the sealed archive', async () => {
    const { checks, verdicts } = await verifyArchive(await changed('seal/manifest.json.tsr', Buffer.from('of anyone')))
    expect(verdicts.integrity).toBe('fails')
    expect(checks.find(({ name }) => name === 'Time-stamp')?.detail).toContain('was added after the archive was sealed')
  })

  test('hashes a file that is too large for memory in pieces, and reports its progress', async () => {
    const path = 'data/large.ndjson'
    const large = Buffer.alloc(65 * 1024 * 1024, 'evidence\n')
    const digest = createHash('sha256').update(large).digest('hex')
    const list = Buffer.from(`${files.get('manifest-sha256.txt')}${digest}  ${path}\n`)
    const withLarge = (data: Buffer) => packed(new Map([...files, ['manifest-sha256.txt', list], [path, data]]))
    const shares: number[] = []
    const { checks } = await verifyArchive(await withLarge(large), {}, { progress: (share) => shares.push(share) })
    // The list is not the one that was sealed; the files hold.
    expect(checks.filter(({ state }) => state === 'fails').map((check) => check.name)).toEqual([
      'Description',
      'Manifest',
    ])
    expect(shares.length).toBeGreaterThan(files.size)
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    expect(shares.at(-1)).toBeGreaterThan(0.99)
    large[40_000_000] = 0
    expect(await failed(await withLarge(large))).toEqual(['Files', 'Description'])
  }, 60_000)
})

/** That of Node 20, which ignores what follows the end of a compressed stream. */
class OlderDecompressionStream {
  readonly readable: ReadableStream
  readonly writable: WritableStream
  constructor() {
    const { readable, writable } = Duplex.toWeb(createInflateRaw())
    this.readable = readable as ReadableStream
    this.writable = writable as WritableStream
  }
}

describe('a container that another program would read differently', () => {
  /** Position of the first local header, of the first entry in the directory, and of the end. */
  const places = () => ({
    local: bytes.indexOf('PK\x03\x04'),
    central: bytes.indexOf('PK\x01\x02'),
    end: bytes.indexOf('PK\x06\x06'),
  })
  const patched = (at: number, ...values: number[]) => {
    const copy = Buffer.from(bytes)
    for (const [index, value] of values.entries()) copy[at + index] = value
    return copy
  }
  const cases: [string, () => Buffer | Promise<Buffer>][] = [
    ['bytes after its end', () => Buffer.concat([bytes, Buffer.from('x')])],
    ['bytes before its beginning', () => Buffer.concat([Buffer.from('x'), bytes])],
    ['a comment', () => Buffer.concat([patched(bytes.length - 2, 1), Buffer.from('x')])],
    ['another CRC in the directory', () => patched(places().central + 16, 1, 2, 3, 4)],
    ['another method in the local header', () => patched(places().local + 8, 0)],
    ['other flags in the local header', () => patched(places().local + 6, 0)],
    ['a size in the local header', () => patched(places().local + 22, 5)],
    ['a CRC in the local header', () => patched(places().local + 14, 5)],
    ['a symbolic link', () => patched(places().central + 38, 0, 0, 0xff, 0xa1)],
    ['a folder', () => patched(places().central + 38, 0x10, 0, 0xff, 0x41)],
    ['an encrypted entry', () => patched(places().central + 8, 9)],
    ['another count of entries', () => patched(places().end + 24, 1)],
    ['the same name in upper case', () => packArchive(folder, [...files, ['README.TXT', Buffer.from('x')]])],
    ['a name twice', () => packArchive(folder, [...files, ['README.txt', Buffer.from('x')]])],
    ['a way out of its folder', () => packArchive(folder, [...files, ['../outside', Buffer.from('x')]])],
    ['a backslash in a name', () => renamed('README.txt', 'README\\txt')],
    ['a name that is not ASCII', () => packArchive(folder, [...files, ['README.t\u2010t', Buffer.from('x')]])],
    ['an entry that its directory does not list', () => hiddenEntry()],
    ['no files', () => Buffer.from('PK\x05\x06'.padEnd(22, '\0'))],
    ['nothing', () => Buffer.alloc(0)],
    ['text', () => Buffer.from('nothing')],
  ]
  /** The archive with a name of the same length in its place, in both headers. */
  const renamed = (name: string, other: string) =>
    Buffer.from(bytes.toString('latin1').replaceAll(`/${name}`, `/${other}`), 'latin1')
  /** The archive with a second copy of its first entry between the entries and the directory. */
  const hiddenEntry = () => {
    const { central, end } = places()
    const second = bytes.indexOf('PK\x03\x04', 4)
    const entry = bytes.subarray(0, second)
    const copy = Buffer.concat([bytes.subarray(0, central), entry, bytes.subarray(central)])
    copy.writeBigUInt64LE(BigInt(central + entry.length), end + entry.length + 48)
    copy.writeBigUInt64LE(BigInt(end + entry.length), end + entry.length + 56 + 8)
    return copy
  }
  test.each<[string, () => Buffer]>([
    [
      'without the end for large files',
      () => {
        const { central, end } = places()
        const plain = Buffer.from(bytes.subarray(-22))
        for (const at of [8, 10]) plain.writeUInt16LE(files.size, at)
        plain.writeUInt32LE(end - central, 12)
        plain.writeUInt32LE(central, 16)
        return Buffer.concat([bytes.subarray(0, end), plain])
      },
    ],
    ['with times', () => patched(places().central + 12, 0x21, 0x53)],
  ])('as an honest person packs it again, %s: the refusal says what to do', async (_name, make) => {
    const { checks } = await verifyArchive(blobOf(make()))
    expect(checks).toMatchObject([{ name: 'Container', state: 'fails' }])
    expect(checks[0]?.detail).toContain(
      'packed again by another program, or changed. Get the original file, or extract it and follow README.txt.',
    )
  })

  test.each(cases)('is refused: %s', async (_name, make) => {
    const report = await verifyArchive(blobOf(await make()))
    expect(report.verdicts.integrity).toBe('fails')
    expect(report.checks.map((check) => check.name)).toEqual(['Container'])
  })

  describe.each([
    ['where Node says', undefined, true],
    ['where the browser refuses', undefined, false],
    ['where the browser ignores', OlderDecompressionStream, false],
  ])('%s what follows a compressed stream', (_where, older, ofNode) => {
    beforeEach(() => {
      if (!ofNode) vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
      if (older) vi.stubGlobal('DecompressionStream', older)
    })
    afterEach(() => {
      vi.restoreAllMocks()
      vi.unstubAllGlobals()
    })

    test('a true archive holds', async () => {
      expect((await verifyArchive(blobOf(bytes))).verdicts.integrity).toBe('holds')
    })

    test.each(hiddenAfterStream)('is refused: %s after the stream of an entry', async (_name, change) => {
      for (const path of ['/data/report.html', '/seal/manifest.json.sig', '/README.txt']) {
        const { verdicts, checks } = await verifyArchive(blobOf(withPacked(bytes, path, change)))
        expect({ path, verdict: verdicts.integrity }).toEqual({ path, verdict: 'fails' })
        expect(checks.find(({ state }) => state === 'fails')?.detail).toContain(`${path}" can’t be unpacked.`)
      }
    })
  })

  test('with one bit changed it fails, or unpacks to the same files; nothing makes the verifier throw', async (context) => {
    const count = process.env.PROOF === 'full' ? 2000 : 150
    let same = 0
    for (let index = 0; index < count; index++) {
      const copy = Buffer.from(bytes)
      const at = Math.floor((index * bytes.length) / count)
      copy[at] = (copy[at] ?? 0) ^ (1 << (index % 8))
      const { verdicts } = await verifyArchive(blobOf(copy))
      if (verdicts.integrity === 'fails') continue
      // Deflate has bits without a meaning, such as the padding at its end.
      const { top: other } = await runtime.extract(`flipped-${index}`, copy)
      for (const [path, data] of files) expect(await readFile(join(other, path))).toEqual(data)
      same += 1
    }
    expect(same).toBeLessThan(count / 20)
    countCases(context, count)
  }, 300_000)
})

describe('an archive that is sealed again with another key', () => {
  const auditPath = () => `data/audit/${today}.ndjson`
  const linesOf = (content: Map<string, Buffer>, path: string) => String(content.get(path)).split('\n').slice(0, -1)
  const rewrite = (path: () => string, edit: (lines: string[]) => string[]) => ({
    files: (content: Map<string, Buffer>) => {
      const text = edit(linesOf(content, path()))
        .map((line) => `${line}\n`)
        .join('')
      content.set(path(), Buffer.from(text))
    },
  })
  const leavesPath = () => `data/proofs/${today}.leaves`
  const manifest = (edit: (manifest: JsonObject) => JsonObject) => ({ manifest: edit })
  type Change = Parameters<typeof resealed>[1]
  const cases: [string, 'log' | 'integrity', () => Change][] = [
    [
      'with a record changed',
      'log',
      () =>
        rewrite(auditPath, ([first = '', ...more]) => [
          first.replace('"person"', '"system"').replace('"system"', '"person"').replace('action', 'Action'),
          ...more,
        ]),
    ],
    ['with a record left out in the middle', 'log', () => rewrite(auditPath, (all) => all.toSpliced(1, 1))],
    ['with the first record left out', 'log', () => rewrite(auditPath, (all) => all.slice(1))],
    ['with the last record left out', 'log', () => rewrite(auditPath, (all) => all.slice(0, -1))],
    ['with a record twice', 'log', () => rewrite(auditPath, (all) => [...all, all.at(-1) ?? ''])],
    [
      'with two records exchanged',
      'log',
      () => rewrite(auditPath, ([one = '', two = '', ...more]) => [two, one, ...more]),
    ],
    [
      'with a leaf less',
      'log',
      () => ({
        files: (content) => void content.set(leavesPath(), content.get(leavesPath())?.subarray(32) ?? Buffer.alloc(0)),
      }),
    ],
    [
      'with a leaf more',
      'log',
      () => ({
        files: (content) =>
          void content.set(
            leavesPath(),
            Buffer.concat([content.get(leavesPath()) ?? Buffer.alloc(0), Buffer.alloc(32)]),
          ),
      }),
    ],
    [
      'with half a leaf more',
      'log',
      () => ({
        files: (content) =>
          void content.set(
            leavesPath(),
            Buffer.concat([content.get(leavesPath()) ?? Buffer.alloc(0), Buffer.alloc(16)]),
          ),
      }),
    ],
    [
      'with the checkpoint of another day',
      'log',
      () => ({
        files: (content) =>
          void content.set(
            `data/proofs/${today}.checkpoint`,
            content.get(`data/proofs/${yesterday}.checkpoint`) ?? Buffer.alloc(0),
          ),
      }),
    ],
    [
      'with keys of the forger for the log',
      'log',
      () => ({
        files: (content) =>
          void content.set(
            'data/keys/vkeys.txt',
            Buffer.from(String(content.get('data/keys/vkeys.txt')).replaceAll('+A', '+B')),
          ),
      }),
    ],
    [
      'without the proof that a day is closed',
      'log',
      () => ({ files: (content) => void content.set(`data/proofs/${yesterday}.seal.tlog-proof`, Buffer.from('x')) }),
    ],
    [
      'for another tenant',
      'log',
      () => manifest((one) => ({ ...one, tenant: { externalId: 'other', name: 'Other' } })),
    ],
    [
      'for another period',
      'log',
      () =>
        manifest((one) => ({ ...one, period: { start: `${yesterday}T00:00:00.000Z`, end: `${today}T00:00:00.000Z` } })),
    ],
    [
      'with another size of a day',
      'log',
      () =>
        manifest((one) => ({
          ...one,
          days: Array.isArray(one.days) ? one.days.map((day) => ({ ...(isJsonObject(day) ? day : {}), size: 1 })) : [],
        })),
    ],
    ['that describes no files', 'integrity', () => manifest((one) => ({ ...one, files: [] }))],
    [
      'that counts wrongly',
      'integrity',
      () => manifest((one) => ({ ...one, counts: { ...(isJsonObject(one.counts) ? one.counts : {}), audit: 99 } })),
    ],
    ['of another export', 'integrity', () => manifest((one) => ({ ...one, exportId: 'another' }))],
    ['of another kind', 'integrity', () => manifest((one) => ({ ...one, type: 'something-else' }))],
    ['of an unknown version', 'integrity', () => manifest((one) => ({ ...one, formatVersion: 3 }))],
  ]
  test('fails nothing but its origin when nothing was changed', async () => {
    const { verdicts } = await verifyArchive(await packed(resealed(files, {})), { fingerprint })
    expect(verdicts).toMatchObject({ integrity: 'holds', origin: 'fails', log: 'holds' })
  })
  test.each(cases)('is refused %s', async (_name, verdict, change) => {
    const { verdicts, checks } = await verifyArchive(await packed(resealed(files, change())))
    expect({ verdict: verdicts[verdict], checks }).toMatchObject({ verdict: 'fails' })
    for (const { state, detail } of checks) if (state === 'fails') expect(detail).not.toContain('malformed: ')
  })
})

describe('verify.mjs', () => {
  const run = (...args: string[]) => {
    const { status, stdout } = spawnSync(process.execPath, [join(top, 'verify.mjs'), ...args], { encoding: 'utf8' })
    return { status, stdout }
  }
  test('says whose archive it is and what holds; its exit code tells programs', async () => {
    const zip = `${top}.zip`
    await writeFile(zip, bytes)
    const unchanged = run(zip, '--fingerprint', fingerprint)
    expect(unchanged.status).toBe(3)
    expect(unchanged.stdout).toContain(wordsOf(fingerprint).join(' '))
    expect(unchanged.stdout).toContain('INTEGRITY: holds.')
    expect(unchanged.stdout).toContain('ORIGIN: holds.')
    expect(unchanged.stdout).toContain('Nothing contradicts itself, but not everything could be checked.')
    expect(run(zip, '--fingerprint', '0'.repeat(64)).status).toBe(1)
    await writeFile(zip, Buffer.from('nothing'))
    expect(run(zip)).toEqual({ status: 2, stdout: 'Not a ZIP archive.\n' })
    expect(run(join(top, 'is-not-there.zip')).status).toBe(2)
    expect(run().stdout).toContain('node verify.mjs <archive.zip>')
    expect(run('--unknown').status).toBe(2)
  })
})

test('verify.html contains the whole verifier, allows no other script, and works without a network', () => {
  const script = /<script type="module">([\s\S]+)<\/script>/.exec(verifiers().page)?.[1] ?? ''
  expect(script).toContain('async function verifyArchive(')
  expect(script).not.toMatch(/\bimport\b|\bfetch\(|https?:\/\//)
  // Many modules became one, so no name may occur in two of them.
  const parsed = spawnSync(process.execPath, ['--input-type=module'], { input: script, encoding: 'utf8' })
  expect(parsed.stderr).not.toContain('SyntaxError')
  const digest = createHash('sha256').update(script).digest('base64')
  expect(verifiers().page).toContain(`default-src 'none'; script-src 'sha256-${digest}'`)
  expect(String(files.get('verify.html'))).toBe(verifiers().page)
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

  test('passes the rule of securesystemslib for Go, which skips a signature whose key id is another', async () => {
    const { dsseEnvelope, verificationMaterial } = JSON.parse(String(files.get('seal/bundle.sigstore.json')))
    // go-securesystemslib/dsse/verify.go: the key id of a verifier is the SHA-256 of its DER, and `if s.KeyID != "" && verifier.KeyID() != s.KeyID { continue }`.
    const key = createPublicKey(String(files.get('seal/seal.pub.pem')))
    const keyId = createHash('sha256')
      .update(key.export({ type: 'spki', format: 'der' }))
      .digest('hex')
    const message = preAuthenticationEncoding(dsseEnvelope.payloadType, Buffer.from(dsseEnvelope.payload, 'base64'))
    const accepted = (signatures: { keyid: string; sig: string }[]) =>
      signatures.some(
        ({ keyid, sig }) => (keyid === '' || keyid === keyId) && verify(null, message, key, Buffer.from(sig, 'base64')),
      )
    const [signature] = dsseEnvelope.signatures
    expect(accepted(dsseEnvelope.signatures)).toBe(true)
    expect(accepted([{ ...signature, keyid: `sha256:${keyId}` }])).toBe(false)
    expect(verificationMaterial.publicKey.hint).toBe(`sha256:${keyId}`)
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
