import { expect, test } from 'vitest'
import { parseJson, parseJsonObject } from './json-problem.ts'

test('an object is returned unchanged', () => {
  expect(parseJsonObject('{"orderId": "A-1002", "list": [1, -2.5e3, null, {}], "s": "\\u00e9\\n"}')).toEqual({
    value: { orderId: 'A-1002', list: [1, -2500, null, {}], s: 'é\n' },
  })
})

test.each([
  ['', 1, 1, 'A value is missing.'],
  ['[1]', 1, 1, 'The input is an object: { "name": value }.'],
  ['null', 1, 1, 'The input is an object: { "name": value }.'],
  ['{"a": 1,}', 1, 9, 'Remove the comma before the closing brace.'],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, 'A comma or a closing brace is missing.'],
  ['{\n  a: 1\n}', 2, 3, 'Expected a name in double quotes.'],
  ['{"a" 1}', 1, 6, 'A colon must follow the name.'],
  ['{"a": \'x\'}', 1, 7, 'Use double quotes for strings.'],
  ['{"a": "x\n"}', 1, 7, 'The closing quote of the string is missing.'],
  ['{"a": "\\q"}', 1, 7, 'The string contains an unknown escape sequence.'],
  ['{"a": nul}', 1, 7, 'nul is not a JSON value.'],
  ['{"a": 01}', 1, 7, '01 is not a JSON value.'],
  ['{"a": [1, 2}', 1, 12, 'A comma or a closing bracket is missing.'],
  ['{"a": [1,]}', 1, 10, 'Remove the comma before the closing bracket.'],
  ['{} {}', 1, 4, 'Nothing may follow the value.'],
  ['{"a": 1', 1, 8, 'A comma or a closing brace is missing.'],
])('%j: line %d, column %d', (text, line, column, message) => {
  expect(parseJsonObject(text)).toEqual({ problem: { line, column, message } })
})

test('every text that JSON.parse refuses is refused with a position', () => {
  const good = '{"a":[1,"b",{"c":null}],"d":-1.5e3}'
  for (let cut = 0; cut < good.length; cut++) {
    const outcome = parseJsonObject(good.slice(0, cut) + good.slice(cut + 1))
    expect('value' in outcome || outcome.problem.line === 1).toBe(true)
  }
})

test('nesting that exceeds the stack is reported as a problem', () => {
  expect(parseJsonObject(`{"a": ${'['.repeat(200_000)}`)).toEqual({ problem: { message: 'Not valid JSON.' } })
})

test('values other than objects are accepted if an object is not required', () => {
  expect(parseJson('"yes"')).toEqual({ value: 'yes' })
  expect(parseJson('[true')).toEqual({
    problem: { line: 1, column: 6, message: 'A comma or a closing bracket is missing.' },
  })
})
