import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { canonicalJson, JcsError } from '#lib/jcs.ts'
import type { JsonValue } from '#lib/json.ts'

const vectors = new URL('../server/audit/vectors/jcs/', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, vectors), 'utf8')

/** A value from a cast or from untyped code: its type says JSON, but the value is not. */
const untyped = (value: unknown) => value as JsonValue

describe('RFC 8785 vectors', () => {
  const files = readdirSync(new URL('input/', vectors))

  test('all six vectors are present', () => {
    expect(files).toHaveLength(6)
  })

  test.each(files)('%s produces the published bytes', (file) => {
    const canonical = canonicalJson(JSON.parse(read(`input/${file}`)))
    const hex = read(`outhex/${file.replace('.json', '.txt')}`).replace(/\s/g, '')
    expect(Buffer.from(canonical).toString('hex')).toBe(hex)
    expect(canonical).toBe(read(`output/${file}`).trimEnd())
  })
})

describe('a value that JCS cannot represent is refused, with its position', () => {
  const itself: { a: unknown[] } = { a: [] }
  itself.a.push(itself)

  test.each<[string, unknown, string]>([
    ['undefined', undefined, ''],
    ['an undefined member', { a: [{ b: undefined }] }, '/a/0/b'],
    ['a hole in an array', { list: new Array(1) }, '/list/0'],
    ['NaN', [Number.NaN], '/0'],
    ['an infinity', { x: Number.NEGATIVE_INFINITY }, '/x'],
    ['a lone surrogate', { x: 'ab\ud800' }, '/x'],
    ['a lone surrogate in a key', { x: { '\udc00': 1 } }, '/x'],
    ['an integer that JSON.parse has rounded', JSON.parse('{"ns":9007199254740993}'), '/ns'],
    ['a large negative integer', [-(2 ** 53)], '/0'],
    ['a nanosecond time', { t: 1_764_000_000 * 1e9 }, '/t'],
    ['a bigint', { 'a/b~c': 1n }, '/a~1b~0c'],
    ['a date', { at: new Date(0) }, '/at'],
    ['a map', { m: new Map() }, '/m'],
    ['bytes', { b: Buffer.alloc(2) }, '/b'],
    ['toJSON', { x: { toJSON: () => 1 } }, '/x/toJSON'],
    ['a symbol', [Symbol('s')], '/0'],
  ])('%s', (_name, value, pointer) => {
    expect(() => canonicalJson(untyped(value))).toThrow(JcsError)
    expect(() => canonicalJson(untyped(value))).toThrow(expect.objectContaining({ pointer }))
  })

  test('for a value that contains itself', () => {
    expect(() => canonicalJson(untyped(itself))).toThrow(/contains itself/)
  })

  test('for a value nested 100,000 levels deep', () => {
    expect(() => canonicalJson(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)))).toThrow(/nested too deeply/)
  })

  test('without the value in the message', () => {
    expect(() => canonicalJson({ token: 'secret\ud800' })).toThrow(/^(?!.*secret)/)
  })
})

test('accepts the largest and smallest exact numbers', () => {
  const edge = 2 ** 53 - 1
  expect(canonicalJson([edge, -edge, -0, 0.1, 1e21, 5e-324])).toBe(
    '[9007199254740991,-9007199254740991,0,0.1,1e+21,5e-324]',
  )
})

test('treats keys such as __proto__ and constructor as ordinary keys', () => {
  expect(canonicalJson(JSON.parse('{"constructor":1,"__proto__":{"b":2,"a":1}}'))).toBe(
    '{"__proto__":{"a":1,"b":2},"constructor":1}',
  )
})
