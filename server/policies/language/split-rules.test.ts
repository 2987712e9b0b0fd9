import { describe, expect, test } from 'vitest'
import { findExcess, limits, splitRules } from './split-rules.ts'

const rule = (condition: string) => `@id("a") permit (principal, action, resource) when { ${condition} };`
const nested = (depth: number) => `${'('.repeat(depth)}true${')'.repeat(depth)}`

describe('splitting', () => {
  test('ignores semicolons and brackets in strings and comments', () => {
    const source = `// one; (two\r@id("a;b\\";{") permit (principal, action, resource); // three;\n  forbid (principal, action, resource);\n`
    expect(splitRules(source).map(({ text }) => text)).toEqual([
      '@id("a;b\\";{") permit (principal, action, resource);',
      'forbid (principal, action, resource);',
    ])
    expect(splitRules(source).map(({ start }) => source.slice(start, start + 3))).toEqual(['@id', 'for'])
  })

  test('keeps a rule without a semicolon, for the parser to report', () => {
    expect(splitRules('permit (principal')).toEqual([{ text: 'permit (principal', start: 0 }])
    expect(splitRules('  // only a comment')).toEqual([])
  })
})

describe('limits', () => {
  test('reject 200 nested parentheses at the position that exceeds the limit', () => {
    const source = rule(nested(200))
    const excess = findExcess(source)
    expect(excess?.message).toContain('nested up to 40')
    // The condition's brace is the first level.
    expect(excess?.index).toBe(source.indexOf('((') + limits.nesting - 1)
  })

  test('accept nesting at the limit and reject one level more', () => {
    expect(findExcess(rule(nested(limits.nesting - 1)))).toBeUndefined()
    expect(findExcess(rule(nested(limits.nesting)))).toBeDefined()
  })

  test('count an `if` inside another as nesting, but not those side by side in a set', () => {
    const branch = 'if true then 1 else 2'
    expect(findExcess(rule(`${'if true then 1 else '.repeat(60)}1`))?.message).toContain('nested')
    expect(findExcess(rule(`[${Array(60).fill(branch).join(', ')}].contains(1)`))).toBeUndefined()
  })

  test('do not count brackets in strings and comments', () => {
    expect(findExcess(rule(`resource.name != "${'('.repeat(300)}" // ${'['.repeat(300)}\n`))).toBeUndefined()
  })

  test('count conditions per rule', () => {
    const either = (terms: number) => rule(Array(terms).fill('true').join(' || '))
    expect(findExcess(either(limits.conditions + 2))?.message).toContain('&& and ||')
    expect(findExcess(`${either(600)}\n${either(600)}`)).toBeUndefined()
  })

  test.each([
    ['members', `context${'.a'.repeat(limits.chain + 1)}`],
    ['indexes', `context${'["a"]'.repeat(limits.chain + 1)}`],
    ['calls', `context.a${'.f(true && true)'.repeat(limits.chain)}`],
    ['sums', `${'1+'.repeat(limits.chain + 1)}1 > 0`],
    ['sums in brackets', `${'('.repeat(11)}1${`${'+1'.repeat(10)})`.repeat(11)} > 0`],
    ['a sum in an earlier operand', `((${'1+'.repeat(60)}1 > 0 && true) == true)${'.a'.repeat(60)}`],
  ])('bound the length of a chain: %s', (_form, condition) => {
    expect(findExcess(rule(condition))?.message).toContain('in one chain')
  })

  test('do not count many short operands as a chain', () => {
    expect(findExcess(rule(Array(900).fill('resource.name == "x"').join(' || ')))).toBeUndefined()
    expect(findExcess(rule(`[${Array(900).fill('context.a.b').join(', ')}].isEmpty()`))).toBeUndefined()
  })

  test('measure size in UTF-8 bytes', () => {
    expect(findExcess(`// ${'é'.repeat(limits.bytes / 2)}`)?.message).toContain('64 KiB')
    expect(findExcess(`// ${'e'.repeat(limits.bytes / 2)}`)).toBeUndefined()
  })

  test('reject text that PostgreSQL or UTF-8 cannot represent', () => {
    expect(findExcess('// \ud800')).toBeDefined()
    expect(findExcess('// \0')).toBeDefined()
  })

  test('reject a megabyte of brackets immediately', () => {
    expect(findExcess('('.repeat(limits.bytes))?.index).toBe(limits.nesting)
  })
})
