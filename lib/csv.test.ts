import { expect, test } from 'vitest'
import { toCsv } from './csv.ts'

test('fields with commas, quotes or line breaks are quoted, and lines end with CRLF', () => {
  expect(toCsv([['a', 'b,c', 'say "hi"', 'two\nlines', '']])).toBe('a,"b,c","say ""hi""","two\nlines",\r\n')
})

test.each([
  ['=1+1', `"'=1+1"`],
  ['+49 30', `"'+49 30"`],
  ['-1+cmd', `"'-1+cmd"`],
  ['@SUM(A1)', `"'@SUM(A1)"`],
  ['\t=1', `"'\t=1"`],
  ['\r=1', `"'\r=1"`],
])('the field %j can’t be read as a formula', (field, written) => {
  expect(toCsv([[field]])).toBe(`${written}\r\n`)
})

test.each(['-12.50', '12', '0.1'])('the number %s stays a number', (field) => {
  expect(toCsv([[field]])).toBe(`${field}\r\n`)
})
