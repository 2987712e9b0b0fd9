import { expect, test } from 'vitest'
import { parseExactly } from './state.ts'

// What a state commits to must not be rounded on the way: JSON.parse would do that silently.

test.each([
  ['{"a":12345678901234567890}', { a: '12345678901234567890' }],
  ['{"a": -9007199254740993}', { a: '-9007199254740993' }],
  ['{"a":9007199254740991}', { a: 9007199254740991 }],
  ['{"a":1e30,"b":1}', { a: '1e30', b: 1 }],
  ['{"a": 1E+21}', { a: '1E+21' }],
  ['[0.1,-2e400]', [0.1, '-2e400']],
  ['[3e400]', ['3e400']],
  ['[\n4.5e300]', ['4.5e300']],
  ['5e22', '5e22'],
  ['[1.5e3,2.5e-7]', [1500, 2.5e-7]],
  ['{"a":0.1234567890123456}', { a: 0.1234567890123456 }],
  ['{"text":"12345678901234567890, 1e400","b":[1e400]}', { text: '12345678901234567890, 1e400', b: ['1e400'] }],
  [
    '{"quote":"\\": 1e400","id":"01a22f1b-157c-714e-ad96-da5c79afb322"}',
    {
      quote: '": 1e400',
      id: '01a22f1b-157c-714e-ad96-da5c79afb322',
    },
  ],
])('%s', (text, value) => {
  expect(parseExactly(text)).toEqual(value)
})
