import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Broken, canonical, isCanonical, type Json, parseLine, sha256OfText } from './bytes.ts'

// The verifier has a writer of canonical JSON of its own, because it imports nothing. A library is the other opinion.

const vectors = new URL('../../server/audit/vectors/jcs/', import.meta.url)

/** What JSON.parse returns, with names that JavaScript puts in another order: numbers come first. */
const anyName = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 5 }),
  fc.nat(200).map(String),
  fc.constant('__proto__'),
)
const { value: anyValue } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue({ maxDepth: 0 }) as fc.Arbitrary<Json>,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.uniqueArray(fc.tuple(anyName, tie('value')), { selector: ([name]) => name, maxLength: 6 }).map(objectOf),
  ),
}))

/** As JSON.parse makes it: every name is a member, also that of the prototype. */
function objectOf(members: readonly (readonly [string, Json])[]): Json {
  return JSON.parse(`{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`)
}

describe('canonical', () => {
  test.each(readdirSync(new URL('input/', vectors)))('writes the published bytes of %s', (file) => {
    const value: Json = JSON.parse(readFileSync(new URL(`input/${file}`, vectors), 'utf8'))
    const text = readFileSync(new URL(`output/${file}`, vectors), 'utf8').trimEnd()
    expect(canonical(value)).toBe(text)
    expect(isCanonical(text, value)).toBe(true)
  })

  test('writes what a library writes, whatever the order of members', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const text = canonicalize(value) ?? ''
        expect(canonical(value)).toBe(text)
        // Parsed again, most members are in order.
        const again: Json = JSON.parse(text)
        expect(canonical(again)).toBe(text)
        expect(isCanonical(text, again)).toBe(true)
        expect(isCanonical(`${text} `, again)).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('parseLine', () => {
  test('reads what JavaScript and what canonical JSON write, whatever the names', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        for (const line of [JSON.stringify(value), canonical(value)]) expect(parseLine(line, 'It')).toEqual(value)
      }),
    )
  })

  test.each([
    '{"status":"rejected","status":"approved"}',
    '{"a":{"b":1,"b":1}}',
    String.raw`{"st\u0061tus":"approved"}`,
    '{"n":1.0}',
    '{"n":10e-1}',
    '{"n":-0}',
    '{"n":9007199254740993}',
    '{"a": 1}',
    ' {}',
    '{}\r',
    String.raw`"\/"`,
  ])('refuses %s', (line) => {
    JSON.parse(line)
    expect(() => parseLine(line, 'It')).toThrow(Broken)
  })
})

describe('sha256OfText', () => {
  const expected = (text: string, before: Uint8Array) => createHash('sha256').update(before).update(text).digest('hex')
  const lengths = [0, 1, 300, 64 * 1024 - 1, 64 * 1024, 64 * 1024 + 1, 200_000]

  test.each(['a', 'é', '€', '😀'])('hashes texts of %s of any length in UTF-8', (character) => {
    for (const length of lengths)
      for (const before of [new Uint8Array(), new Uint8Array(53).fill(7), new Uint8Array(2000).fill(9)]) {
        const text = `x${character.repeat(Math.ceil(length / character.length))}`
        expect(Buffer.from(sha256OfText(text, before)).toString('hex')).toBe(expected(text, before))
      }
  })
})
