import { expect, test } from 'vitest'
import { beginText, commitText, settingsStatement } from '#server/kernel/db/statements/control.ts'
import { counter } from './wire-meter.ts'

const startup = (application: string): Buffer => {
  const body = Buffer.from(`\0\x03\0\0user\0me\0application_name\0${application}\0\0`, 'latin1')
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([length, body])
}
const message = (type: string, text: string): Buffer => {
  const length = Buffer.alloc(4)
  length.writeInt32BE(text.length + 4)
  return Buffer.concat([Buffer.from(type), length, Buffer.from(text)])
}
const conversation = [
  message('Q', 'begin\0'),
  message('P', '\0select $1\0\0\0'),
  message('B', '\0\0\0\0\0\0\0\0'),
  message('E', '\0\0\0\0\0'),
  message('S', ''),
  message('Q', "select pg_notify('audit', 'x'); commit\0"),
  message('Q', 'COMMIT\0'),
  ...[beginText, settingsStatement({ tenantId: 'one' })?.text, 'select 1', commitText].flatMap((text, index) => [
    message('P', `cs_${index}\0${text}\0\0\0`),
    message('B', `\0cs_${index}\0\0\0\0\0\0\0`),
    message('E', '\0\0\0\0\0'),
  ]),
  message('B', '\0cs_3\0\0\0\0\0\0\0'),
  message('E', '\0\0\0\0\0'),
  message('S', ''),
]

test.each([1, 3, 1000])('counts statements and commits, however the stream is split (%i bytes)', (size) => {
  const traffic = { statements: 0, commits: 0, bytes: 0 }
  const read = counter(traffic)
  const stream = Buffer.concat([startup('countersign/2'), ...conversation])
  for (let at = 0; at < stream.length; at += size) read(stream.subarray(at, at + size))
  expect(traffic).toEqual({ statements: 8, commits: 4, bytes: Buffer.concat(conversation).length })
})

test('ignores the queue’s connections', () => {
  const traffic = { statements: 0, commits: 0, bytes: 0 }
  counter(traffic)(Buffer.concat([startup('countersign-queue/2'), ...conversation]))
  expect(traffic).toEqual({ statements: 0, commits: 0, bytes: 0 })
})
