import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditorOf, exportRuntime, fetchArchive } from '#server/testing/exports.ts'
import { moveToPast } from '#server/testing/past-day.ts'

// A true archive passes programs that others wrote, and the same archive with one changed byte does not. `npm run proof` runs
// each test as a suite of its own, and skips those whose program is missing.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
let folder: string
let zip: string
/** The same archive with one byte of its content changed. */
let damaged: string
let entries: number
let bytes: Buffer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-readers-'))
  runtime = await exportRuntime()
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  await moveToPast(runtime, tenant, yesterday)
  const startDate = `${yesterday}T00:00:00.000Z`
  const endDate = new Date(Date.now() + 86_400_000).toISOString()
  const job = await runtime.make(tenant, auditor, { startDate, endDate, includeProofs: true })
  expect(job.error).toBeNull()
  bytes = await fetchArchive(auditor, job.exportId)
  zip = join(folder, 'archive.zip')
  damaged = join(folder, 'damaged.zip')
  await writeFile(zip, bytes)
  const changed = Buffer.from(bytes)
  // In the middle of verify.html, which is the largest file.
  const at = changed.indexOf('verify.html') + 2_000
  changed[at] = (changed[at] ?? 0) ^ 0xff
  await writeFile(damaged, changed)
  // The number of entries in the end of the directory (ZIP64).
  entries = Number(bytes.readBigUInt64LE(bytes.length - 22 - 20 - 56 + 32))
  expect(entries).toBeGreaterThan(20)
})
afterAll(async () => {
  await runtime.close()
  await rm(folder, { recursive: true })
})

function run(command: string, args: string[], options: { cwd?: string } = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', ...options })
  if (error) throw error
  return { status, stdout, stderr }
}

const count = (text: string) => text.split('\n').filter((line) => line !== '' && !line.endsWith('/')).length

test('unzip', () => {
  expect(run('unzip', ['-tqq', zip])).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(count(run('unzip', ['-Z1', zip]).stdout)).toBe(entries)
  expect(run('unzip', ['-tqq', damaged]).status).not.toBe(0)
})

test('bsdtar', () => {
  const listed = run('bsdtar', ['-tf', zip])
  expect([listed.status, count(listed.stdout), listed.stderr]).toEqual([0, entries, ''])
  expect(run('bsdtar', ['-xOf', zip])).toMatchObject({ status: 0, stderr: '' })
  expect(run('bsdtar', ['-xOf', damaged]).status).not.toBe(0)
})

test('7z', () => {
  const tested = run('7z', ['t', zip])
  expect(tested).toMatchObject({ status: 0, stderr: '' })
  expect(tested.stdout).toMatch(new RegExp(`Files: ${entries}\\n`))
  expect(tested.stdout).not.toContain('Warning')
  expect(run('7z', ['t', damaged]).status).not.toBe(0)
})

// The Python of a virtual environment with bagit, which `npm run proof` creates.
const python = process.env.PROOF_PYTHON ?? 'python3'
const script = join(import.meta.dirname, 'bag.py')

test('zipfile of Python', () => {
  expect(run(python, [script, 'zipfile', zip])).toEqual({ status: 0, stdout: `${entries}\n`, stderr: '' })
  expect(run(python, [script, 'zipfile', damaged]).status).not.toBe(0)
})

test('bagit of Python', async () => {
  const { top, text } = await runtime.extract('bagit', bytes)
  const listed = (await text('manifest-sha256.txt')).trimEnd().split('\n').length
  expect(run(python, [script, 'bagit', top])).toMatchObject({ status: 0, stdout: `${listed}\n` })
  for (const path of ['data/members.ndjson', 'README.txt']) {
    const before = await readFile(join(top, path))
    await writeFile(join(top, path), Buffer.concat([before.subarray(1), Buffer.of(0x20)]))
    expect(run(python, [script, 'bagit', top])).toMatchObject({ status: 1, stderr: expect.stringContaining(path) })
    await writeFile(join(top, path), before)
  }
})

test('tlog and note of Go', async () => {
  const { top, text } = await runtime.extract('go', bytes)
  const days = (await text('manifest-sha256.txt')).match(/data\/audit\/[\d-]+\.ndjson/g) ?? []
  const counts = await Promise.all(days.map(async (path) => count(await text(path))))
  const records = counts.reduce((sum, one) => sum + one, 0)
  const program = join(folder, 'tlog')
  const cwd = join(import.meta.dirname, 'tlog')
  expect(run('go', ['build', '-o', program, '.'], { cwd })).toMatchObject({ status: 0, stderr: expect.any(String) })
  const seals = days.filter((path) => existsSync(join(top, 'data/proofs', `${path.slice(11, 21)}.seal.tlog-proof`)))
  expect(seals).toHaveLength(1)
  expect(run(program, [top]).stdout).toBe(`${records} records, ${days.length} days, 1 seals\n`)
  const [first = ''] = days
  const date = first.slice(11, 21)
  const flip = async (path: string, at: number) => {
    const data = await readFile(join(top, path))
    data[at] = (data[at] ?? 0) ^ 1
    await writeFile(join(top, path), data)
  }
  const changes: [string, number, string][] = [
    [`data/proofs/${date}.leaves`, 40, 'they do not have the signed root'],
    [`data/proofs/${date}.checkpoint`, 3, 'the checkpoint'],
    [first, 20, 'the records'],
    [
      `data/proofs/${date}.seal.tlog-proof`,
      (await text(`data/proofs/${date}.seal.tlog-proof`)).indexOf('index ') + 6,
      'the seal',
    ],
  ]
  for (const [path, at, reason] of changes) {
    await flip(path, at)
    expect(run(program, [top])).toMatchObject({ status: 1, stderr: expect.stringContaining(reason) })
    await flip(path, at)
  }
  expect(run(program, [top]).status).toBe(0)
})

test('sigstore of Go', async () => {
  const { top } = await runtime.extract('sigstore-go', bytes)
  const program = join(folder, 'sigstore')
  const cwd = join(import.meta.dirname, 'sigstore')
  expect(run('go', ['build', '-o', program, '.'], { cwd })).toMatchObject({ status: 0, stderr: expect.any(String) })
  const key = join(folder, 'seal.pub.pem')
  await copyFile(join(top, 'seal/seal.pub.pem'), key)
  expect(run(program, [top, key])).toMatchObject({ status: 0, stdout: 'manifest.json\ntagmanifest-sha256.txt\n' })
  const { publicKey } = generateKeyPairSync('ed25519')
  const another = join(folder, 'another.pem')
  await writeFile(another, publicKey.export({ type: 'spki', format: 'pem' }))
  expect(run(program, [top, another])).toMatchObject({ status: 1, stderr: expect.stringContaining('manifest.json') })
  for (const path of ['manifest.json', 'tagmanifest-sha256.txt', 'seal/bundle.sigstore.json']) {
    const data = await readFile(join(top, path), 'utf8')
    // In the bundle: in the signed payload.
    const at = path.startsWith('seal/') ? data.indexOf('"payload":"') + 20 : data.length - 10
    const other = data[at] === 'A' ? 'B' : 'A'
    await writeFile(join(top, path), `${data.slice(0, at)}${other}${data.slice(at + 1)}`)
    expect(run(program, [top, key]).status).toBe(1)
    await writeFile(join(top, path), data)
  }
  expect(run(program, [top, key]).status).toBe(0)
}, 300_000)
