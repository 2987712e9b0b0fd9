import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openFile } from './file.ts'

const folder = mkdtempSync(join(tmpdir(), 'countersign-file-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = (name: string) => join(folder, name)
const textIn = async (source: { arrayBuffer(): Promise<ArrayBuffer> }) =>
  Buffer.from(await source.arrayBuffer()).toString()
const streamed = async (source: { stream(): ReadableStream<Uint8Array> }) => {
  const parts: Uint8Array[] = []
  for await (const part of source.stream()) parts.push(part)
  return Buffer.concat(parts)
}

test('a file of more than 4 GiB is read where it is asked to be', async () => {
  // Without its holes, the file takes some kilobytes.
  const size = 5_000_000_000
  const marks = { 0: 'the beginning', 3000000000: 'beyond 2 GiB', 4500000000: 'beyond 4 GiB', 4999999993: 'the end' }
  const handle = await open(path('large'), 'w')
  await handle.truncate(size)
  for (const [at, text] of Object.entries(marks)) await handle.write(text, Number(at))
  await handle.close()
  const file = await openFile(path('large'))
  expect(file.size).toBe(size)
  for (const [at, text] of Object.entries(marks)) {
    const part = file.slice(Number(at), Number(at) + text.length)
    expect(await textIn(part)).toBe(text)
    expect((await streamed(part)).toString()).toBe(text)
    expect(await textIn(file.slice(Number(at)).slice(0, text.length))).toBe(text)
  }
  await file.close()
})

test('a part ends where the file ends, and a long one is streamed in pieces', async () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251))
  writeFileSync(path('small'), bytes)
  const file = await openFile(path('small'))
  expect(file.slice(299_990, 400_000).size).toBe(10)
  expect(file.slice(500_000).size).toBe(0)
  expect(await streamed(file.slice(500_000))).toHaveLength(0)
  expect((await streamed(file)).equals(bytes)).toBe(true)
  expect((await streamed(file.slice(7, 290_000))).equals(bytes.subarray(7, 290_000))).toBe(true)
  await file.close()
})

test.each([
  ['shortened', () => truncateSync(path('changing'), 3)],
  ['overwritten', () => writeFileSync(path('changing'), 'other content')],
])('a file that is %s after it was opened can’t be read any more', async (_what, change) => {
  writeFileSync(path('changing'), 'first content')
  const file = await openFile(path('changing'))
  expect(await textIn(file)).toBe('first content')
  // Time stamps of files are not finer than some milliseconds.
  await expect
    .poll(async () => {
      change()
      return await textIn(file).catch((error: unknown) => (error as DOMException).name)
    })
    .toBe('NotReadableError')
  await expect(streamed(file)).rejects.toMatchObject({ name: 'NotReadableError' })
  await file.close()
})

test('a file that does not exist is refused', async () => {
  await expect(openFile(path('none'))).rejects.toMatchObject({ code: 'ENOENT' })
})
