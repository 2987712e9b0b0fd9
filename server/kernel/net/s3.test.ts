import { hash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { GetObjectCommand, ListMultipartUploadsCommand, type S3Client, UploadPartCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { s3Server, s3Settings } from '#server/testing/fakes/s3-server.ts'
import { openS3 } from './s3.ts'

const waitMs = 1000
const large = randomBytes(8 * 1024 * 1024)
const at = { Bucket: 'evidence', Key: 'archive' }
const before = { ...process.env }
let store: Awaited<ReturnType<typeof s3Server>>
let client: S3Client
let cut = new AbortController()
beforeAll(async () => {
  store = await s3Server()
  Object.assign(process.env, s3Settings(store.url))
  store.objects.set(at.Key, { body: large, etag: '"e"', metadata: {} })
  client = await openS3({ endpoint: store.url, maxAttempts: 1, waitMs, cut: () => cut.signal })
})
afterAll(async () => {
  client.destroy()
  for (const name of Object.keys(s3Settings(''))) delete process.env[name]
  Object.assign(process.env, before)
  await store.close()
})

async function open(range?: string): Promise<Readable> {
  const { Body } = await client.send(new GetObjectCommand({ ...at, ...(range === undefined ? {} : { Range: range }) }))
  if (!(Body instanceof Readable)) throw new Error('The answer lacks a body.')
  return Body
}

async function bytesOf(body: Readable, pause = (_bytes: number): Promise<void> | undefined => undefined) {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    await pause(bytes)
  }
  return bytes
}

const all = `bytes=0-${large.length - 1}`

test('an object that comes byte by byte is given up, with an error that says so', async () => {
  store.failWith(() => 'drip')
  await expect(bytesOf(await open(all))).rejects.toMatchObject({ name: 'TransferTooSlow' })
  await expect(client.send(new ListMultipartUploadsCommand(at))).rejects.toMatchObject({ name: 'TransferTooSlow' })
})

test('an object that comes slowly comes whole, although that takes longer than any wait', async () => {
  store.failWith(() => ({ bytesPerSecond: 64 * 1024 }))
  const began = performance.now()
  expect(await bytesOf(await open(`bytes=0-${160 * 1024 - 1}`))).toBe(160 * 1024)
  expect(performance.now() - began).toBeGreaterThan(2 * waitMs)
})

test('the time that the reader takes does not count', async () => {
  store.failWith(() => undefined)
  let paused = false
  const read = await bytesOf(await open(all), (bytes) => {
    if (paused || bytes < 1024 * 1024) return undefined
    paused = true
    return setTimeout(2 * waitMs)
  })
  expect([read, paused]).toEqual([large.length, true])
})

test('a larger body has longer to be sent', async () => {
  store.failWith(() => ({ afterMs: 1.5 * waitMs }))
  await expect(client.send(new ListMultipartUploadsCommand(at))).rejects.toMatchObject({
    name: 'TimeoutError',
  })
  store.uploads.set('u', { key: 'parts', metadata: {}, parts: new Map() })
  const part = { Bucket: at.Bucket, Key: 'parts', UploadId: 'u', PartNumber: 1, Body: large.subarray(0, 64 * 1024) }
  await client.send(
    new UploadPartCommand({ ...part, ContentLength: part.Body.length, ChecksumSHA256: sumOf(part.Body) }),
  )
})

test('an answer that is not asked for by its range is limited in size', async () => {
  store.failWith(() => undefined)
  await expect(open().then((body) => bytesOf(body))).rejects.toThrow('more than 4194304 bytes')
  store.failWith(() => ({ extra: 5 * 1024 * 1024 }))
  await expect(client.send(new ListMultipartUploadsCommand(at))).rejects.toThrow('more than 4194304 bytes')
})

test('the end of the process cuts what is under way', async () => {
  store.failWith(() => 'hang')
  const asked = client.send(new ListMultipartUploadsCommand(at))
  cut.abort()
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
  cut = new AbortController()
  store.failWith(() => 'drip')
  const body = await open(all)
  cut.abort()
  await expect(bytesOf(body)).rejects.toThrow()
  cut = new AbortController()
})

const sumOf = (bytes: Buffer): string => hash('sha256', bytes, 'base64')
