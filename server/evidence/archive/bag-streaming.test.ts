import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPromise } from 'yauzl'
import { type BagSeal, openBag } from './bag.ts'

const exportId = '01890000-0000-7000-8000-00000000e002'
const ndjson = { mediaType: 'application/x-ndjson' }
const key = generateKeyPairSync('ed25519')
const sealing: BagSeal = {
  manifest: (files) => ({ files: [...files] }),
  signingKey: key.privateKey,
  publicKeyPem: key.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  info: {},
}

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bag-streaming-'))
})
afterAll(() => rm(folder, { recursive: true }))

test('a bag reads its content no faster than its output accepts the archive', async () => {
  const chunk = randomBytes(256 * 1024)
  const count = 128
  let read = 0
  let taken = 0
  let mostAhead = 0
  const out = new Writable({
    write(bytes: Buffer, _encoding, done) {
      taken += bytes.length
      mostAhead = Math.max(mostAhead, read - taken)
      setImmediate(done)
    },
  })
  const bag = openBag({ exportId, out })
  const file = await bag.addFile(
    'data/raw',
    (function* () {
      for (let index = 0; index < count; index++) {
        read += chunk.length
        yield chunk
      }
    })(),
    { mediaType: 'application/octet-stream' },
  )
  expect(file.bytes).toBe(count * chunk.length)
  expect((await bag.seal(sealing)).totalBytes).toBe(taken)
  expect(mostAhead).toBeLessThan(4 * 1024 * 1024)
})

test('a failing output ends the call, the reading and the bag', async () => {
  const full = new Error('disk full')
  let released = false
  async function* endless() {
    try {
      for (;;) yield randomBytes(64 * 1024)
    } finally {
      released = true
    }
  }
  let taken = 0
  const out = new Writable({
    write(bytes: Buffer, _encoding, done) {
      taken += bytes.length
      done(taken > 1024 * 1024 ? full : null)
    },
  })
  const bag = openBag({ exportId, out })
  await expect(bag.addFile('data/a', endless(), ndjson)).rejects.toBe(full)
  await expect.poll(() => released).toBe(true)
  await expect(bag.addFile('data/b', ['x'], ndjson)).rejects.toBe(full)
})

test('failing content ends the bag with its own error, and leaves the output without an archive', async () => {
  const lost = new Error('connection lost')
  const zip = join(folder, 'lost.zip')
  const out = createWriteStream(zip)
  const bag = openBag({ exportId, out })
  await bag.addFile('data/a', ['x'], ndjson)
  const failing = (async function* () {
    yield 'one\n'
    throw lost
  })()
  await expect(bag.addFile('data/b', failing, ndjson)).rejects.toBe(lost)
  await expect(bag.seal(sealing)).rejects.toBe(lost)
  await expect.poll(() => out.closed).toBe(true)
  await stat(zip)
  await expect(openPromise(zip)).rejects.toThrow()
})
