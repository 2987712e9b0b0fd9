import { spawnSync } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Entry, openPromise } from 'yauzl'
import { canonicalJson } from '#lib/jcs.ts'
import { type BagSeal, openBag, sealKeyFingerprint } from './bag.ts'

const exportId = '01890000-0000-7000-8000-00000000e001'
const top = `evidence-room-${exportId}`
const key = generateKeyPairSync('ed25519')
const publicKeyPem = key.publicKey.export({ type: 'spki', format: 'pem' }).toString()
const ndjson = { mediaType: 'application/x-ndjson' }
const audit = ['{"seq":0}\n', '{"seq":1,"name":"Zoë"}\n']

const sealing: BagSeal = {
  manifest: (files, payloadOxum) => ({ type: 'evidence-room-bundle-v1', files: [...files], payloadOxum }),
  signingKey: key.privateKey,
  publicKeyPem,
  info: { 'Source-Organization': 'Northwind Mutual', 'Bagging-Date': '2026-11-20' },
}

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bag-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Writes a small bag to `name`.zip. */
async function writeBag(name: string) {
  const zip = join(folder, `${name}.zip`)
  const bag = openBag({ exportId, out: createWriteStream(zip) })
  const files = [
    await bag.addFile('data/export.json', ['{}'], { mediaType: 'application/json' }),
    await bag.addFile('data/audit/2026-11-20.ndjson', audit, ndjson),
    await bag.addFile('data/proofs/2026-11-20.leaves', [Buffer.alloc(64, 7)], {
      mediaType: 'application/octet-stream',
    }),
    await bag.addFile('data/omissions.ndjson', [], ndjson),
  ]
  return { zip, files, sealed: await bag.seal(sealing) }
}

async function readEntries(zip: string): Promise<{ entry: Entry; content: Buffer }[]> {
  const file = await openPromise(zip)
  const entries: { entry: Entry; content: Buffer }[] = []
  for await (const entry of file.eachEntry())
    entries.push({ entry, content: await buffer(await file.openReadStreamPromise(entry)) })
  return entries
}

/** Extracts a new small bag; the path of its top directory. */
async function extractBag(name: string): Promise<string> {
  const { zip } = await writeBag(name)
  for (const { entry, content } of await readEntries(zip)) {
    const path = join(folder, name, entry.fileName)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
  }
  return join(folder, name, top)
}

/** The commands of the extracted README, in its order. */
async function readmeCommands(bag: string): Promise<string[]> {
  const lines = (await readFile(join(bag, 'README.txt'), 'utf8')).split('\n')
  return lines.filter((line) => /^ {3}(sha256sum|openssl|grep) /.test(line)).map((line) => line.trim())
}

const run = (bag: string, command: string) =>
  spawnSync('sh', ['-c', command], { cwd: bag, encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } })

/** Exit codes of README's steps 1 to 5: payload, tag files, signature, that it covers the payload's list, and the tag files'. */
const check = async (bag: string) => (await readmeCommands(bag)).slice(0, 5).map((command) => run(bag, command).status)

async function flipByte(bag: string, path: string): Promise<void> {
  const bytes = await readFile(join(bag, path))
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
  await writeFile(join(bag, path), bytes)
}

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

describe('a sealed bag', () => {
  test('contains its entries in order, with fixed time and mode', async () => {
    const { zip, sealed } = await writeBag('order')
    const entries = await readEntries(zip)
    expect(entries.map(({ entry }) => entry.fileName)).toEqual(
      [
        'bagit.txt',
        'README.txt',
        'verify.html',
        'verify.mjs',
        'bagit-profile.json',
        'data/export.json',
        'data/audit/2026-11-20.ndjson',
        'data/proofs/2026-11-20.leaves',
        'data/omissions.ndjson',
        'bag-info.txt',
        'manifest.json',
        'manifest-sha256.txt',
        'tagmanifest-sha256.txt',
        'seal/manifest.json.sig',
        'seal/tagmanifest-sha256.txt.sig',
        'seal/seal.pub.pem',
        'seal/bundle.sigstore.json',
      ].map((path) => `${top}/${path}`),
    )
    for (const { entry } of entries) {
      expect(entry.getLastModDate({ timezone: 'UTC' })).toEqual(new Date('1980-01-01T00:00:00Z'))
      expect(entry.externalFileAttributes >>> 16).toBe(0o100644)
    }
    const bytes = await readFile(zip)
    expect(sealed.totalBytes).toBe(bytes.length)
    expect(bytes.includes(Buffer.from('504b0606', 'hex'))).toBe(true)
  })

  test('counts bytes and records, and seals a canonical manifest that lists every file', async () => {
    const { zip, files, sealed } = await writeBag('manifest')
    const contents = new Map(
      (await readEntries(zip)).map(({ entry, content }) => [entry.fileName.slice(top.length + 1), content]),
    )
    const text = (path: string) => contents.get(path)?.toString()
    expect(files.map(({ path, bytes, records }) => [path, bytes, records])).toEqual([
      ['data/export.json', 2, undefined],
      ['data/audit/2026-11-20.ndjson', 34, 2],
      ['data/proofs/2026-11-20.leaves', 64, undefined],
      ['data/omissions.ndjson', 0, 0],
    ])
    for (const { path, sha256: digest } of files) expect(sha256(contents.get(path) ?? '')).toBe(digest)
    expect(contents.get('manifest.json')).toEqual(sealed.manifestBytes)
    expect(sealed.manifestSha256).toBe(sha256(sealed.manifestBytes))
    expect(text('manifest.json')).toBe(
      canonicalJson({
        type: 'evidence-room-bundle-v1',
        files,
        payloadOxum: '100.4',
        payloadManifestSha256: sha256(text('manifest-sha256.txt') ?? ''),
      }),
    )
    expect(text('bagit.txt')).toBe('BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n')
    expect(text('bag-info.txt')).toBe(
      `BagIt-Profile-Identifier: https://countersign.dev/bagit-profile/evidence-room-bundle-v2.json\nSource-Organization: Northwind Mutual\nBagging-Date: 2026-11-20\nExternal-Identifier: ${exportId}\nPayload-Oxum: 100.4\n`,
    )
    expect(contents.get('seal/manifest.json.sig')).toHaveLength(64)
    expect(text('seal/seal.pub.pem')).toBe(publicKeyPem)
  })

  test('has the same bytes when it is written twice', async () => {
    const [one, two] = [await writeBag('one'), await writeBag('two')]
    expect(await readFile(one.zip)).toEqual(await readFile(two.zip))
  })
})

describe('the commands of README.txt, run by sh', () => {
  test('match the documented commands, and all pass', async () => {
    const bag = await extractBag('good')
    const commands = await readmeCommands(bag)
    expect(commands.slice(0, 3)).toEqual([
      'sha256sum -c manifest-sha256.txt',
      'sha256sum -c tagmanifest-sha256.txt',
      'openssl pkeyutl -verify -pubin -inkey seal/seal.pub.pem -rawin -in manifest.json -sigfile seal/manifest.json.sig',
    ])
    const results = commands.map((command) => run(bag, command))
    expect(results.map(({ status }) => status)).toEqual([0, 0, 0, 0, 0, 0])
    expect(results.map(({ stdout }) => stdout.match(/: OK$/gm)?.length ?? 0)).toEqual([4, 8, 0, 0, 0, 0])
    expect(results[2]?.stdout).toContain('Signature Verified Successfully')
    expect(results[3]?.stdout).toBe('1\n')
    expect(`sha256:${results[5]?.stdout.slice(0, 64)}`).toBe(sealKeyFingerprint(publicKeyPem))
  })

  // Which of the five steps fail when one byte of a file is another.
  test.each([
    ['data/audit/2026-11-20.ndjson', [1, 0, 0, 0, 0]],
    ['data/proofs/2026-11-20.leaves', [1, 0, 0, 0, 0]],
    ['manifest-sha256.txt', [1, 1, 0, 1, 0]],
    ['manifest.json', [0, 1, 1, 0, 0]],
    ['bag-info.txt', [0, 1, 0, 0, 0]],
    ['README.txt', [0, 1, 0, 0, 0]],
    // Its middle byte ends a line; a malformed line is only a warning for sha256sum.
    ['tagmanifest-sha256.txt', [0, 0, 0, 0, 1]],
    ['seal/manifest.json.sig', [0, 0, 1, 0, 0]],
    ['seal/tagmanifest-sha256.txt.sig', [0, 0, 0, 0, 1]],
    ['seal/seal.pub.pem', [0, 0, 1, 0, 1]],
  ])('find a flipped byte in %s', async (path, expected) => {
    const bag = await extractBag(`flip-${path.replaceAll('/', '-')}`)
    await flipByte(bag, path)
    expect(await check(bag)).toEqual(expected)
  })

  test('find a missing file', async () => {
    const bag = await extractBag('missing')
    await rm(join(bag, 'data/export.json'))
    expect(await check(bag)).toEqual([1, 0, 0, 0, 0])
    await rm(join(bag, 'manifest-sha256.txt'))
    expect((await check(bag)).at(3)).not.toBe(0)
  })

  test('find a record changed together with both lists, which only steps 4 and 5 can', async () => {
    const bag = await extractBag('forged')
    const replace = async (list: string, path: string) => {
      const digest = sha256(await readFile(join(bag, path)))
      const text = await readFile(join(bag, list), 'utf8')
      await writeFile(join(bag, list), text.replace(new RegExp(`^[0-9a-f]{64}  ${path}$`, 'm'), `${digest}  ${path}`))
    }
    await flipByte(bag, 'data/audit/2026-11-20.ndjson')
    await replace('manifest-sha256.txt', 'data/audit/2026-11-20.ndjson')
    await replace('tagmanifest-sha256.txt', 'manifest-sha256.txt')
    expect(await check(bag)).toEqual([0, 0, 0, 1, 1])
  })
})

describe('a bag refuses', () => {
  const discard = () => new Writable({ write: (_bytes, _encoding, done) => done() })
  const newBag = () => openBag({ exportId, out: discard() })

  test.each([
    'audit.ndjson',
    'data',
    'data/',
    '/data/a',
    'data/../a',
    'data/./a',
    'data//a',
    'data/.hidden',
    'data/a\\b',
    'data/a b',
    'data/a\nb',
    'data/ü',
    'data/a.',
    `data/${'a'.repeat(200)}`,
  ])('the path %j', async (path) => {
    const bag = newBag()
    await expect(bag.addFile(path, ['x'], ndjson)).rejects.toThrow(RangeError)
    // The mistake does not cost the bag.
    await expect(bag.addFile('data/policies/refunds@3.cedar', ['x'], ndjson)).resolves.toMatchObject({ bytes: 1 })
  })

  test('the same path again, in any case', async () => {
    const bag = newBag()
    await bag.addFile('data/a', ['x'], ndjson)
    await expect(bag.addFile('data/A', ['x'], ndjson)).rejects.toThrow(/already/)
  })

  test('concurrent calls, sealing without a payload, and content after the seal', async () => {
    const bag = newBag()
    await expect(bag.seal(sealing)).rejects.toThrow(/at least one/)
    const first = bag.addFile('data/a', ['x'], ndjson)
    await expect(bag.addFile('data/b', ['x'], ndjson)).rejects.toThrow(/still writing/)
    await first
    await bag.seal(sealing)
    await expect(bag.addFile('data/b', ['x'], ndjson)).rejects.toThrow(/sealed/)
    await expect(bag.seal(sealing)).rejects.toThrow(/sealed/)
  })

  test.each<[string, Partial<BagSeal>]>([
    [
      'a public key of another pair',
      { publicKeyPem: generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString() },
    ],
    ['a key of another kind', { signingKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }],
    ['a manifest that is not JSON', { manifest: () => ({ at: Number.NaN }) }],
    ['a second line in bag-info.txt', { info: { 'Source-Organization': 'x\nPayload-Oxum: 0.0' } }],
    ['a label with a colon', { info: { 'a:b': 'c' } }],
  ])('%s', async (_name, change) => {
    const bag = newBag()
    await bag.addFile('data/a', ['x'], ndjson)
    await expect(bag.seal({ ...sealing, ...change })).rejects.toThrow()
  })

  test('an export id that leads to another folder', () => {
    expect(() => openBag({ exportId: '../x', out: discard() })).toThrow(RangeError)
  })

  test('to store a private key that was given as the public one', async () => {
    const chunks: Buffer[] = []
    const zip = join(folder, 'private.zip')
    const bag = openBag({ exportId, out: createWriteStream(zip) })
    await bag.addFile('data/a', ['x'], ndjson)
    await bag.seal({ ...sealing, publicKeyPem: key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() })
    for (const { content } of await readEntries(zip)) chunks.push(content)
    expect(Buffer.concat(chunks).includes('PRIVATE KEY')).toBe(false)
    expect(createPublicKey(Buffer.concat(chunks.slice(-2, -1))).equals(key.publicKey)).toBe(true)
  })
})
