import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Content, tally } from './tally.ts'

async function read(content: Content) {
  const counted = tally(content)
  const chunks: Buffer[] = []
  for await (const chunk of counted.bytes) chunks.push(chunk)
  return { chunks, all: Buffer.concat(chunks), ...counted.result() }
}

test.each<[string, (string | Uint8Array)[], number]>([
  ['nothing', [], 0],
  ['one empty piece', [''], 0],
  ['lines', ['a\n', 'b\n'], 2],
  ['a last line without newline', ['a\nb'], 2],
  ['lines cut anywhere', ['{"a"', ':1}', '\n', '{}\n{', '}\n'], 3],
  ['text and bytes mixed', ['ü\n', Buffer.from('€\n'), new Uint8Array([0x61, 0x0a])], 3],
  ['an empty last piece', ['a\n', Buffer.alloc(0)], 1],
])('%s: bytes, lines and digest are those of what was written', async (_name, content, lines) => {
  const expected = Buffer.concat(content.map((piece) => Buffer.from(piece)))
  const found = await read(content)
  expect(found.all).toEqual(expected)
  expect(found).toMatchObject({
    bytes: expected.byteLength,
    lines,
    sha256: createHash('sha256').update(expected).digest('hex'),
  })
})

test('small lines are joined into larger pieces, and none is lost', async () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `{"index":${index}}\n`)
  const { chunks, all, lines: counted } = await read(lines)
  expect(counted).toBe(20_000)
  expect(all.toString()).toBe(lines.join(''))
  expect(chunks.length).toBeLessThan(10)
})

test('a view into a larger buffer yields only its own bytes', async () => {
  const { all } = await read([Buffer.from('abcdef').subarray(2, 4)])
  expect(all.toString()).toBe('cd')
})

test('text with a lone surrogate is refused instead of replaced', async () => {
  await expect(read(['ok', 'half \ud83d'])).rejects.toThrow(TypeError)
})
