import { expect, test } from 'vitest'
import { whyNotPassword } from './password.ts'

const known = ['maria', 'maria@northwind.example', 'Köhler', 'Northwind Mutual', 'of']

test.each([
  'correct horse battery',
  'a-quiet-river-of-tea',
  '短い言葉を並べた長い合言葉です',
  'maria walks seven dogs',
])('accepts %s', (password) => {
  expect(whyNotPassword(password, known)).toBeUndefined()
})

test.each([
  ['', 'short'],
  ['elevenchars', 'short'],
  ['aaaaaaaaaaaaaaaa', 'uniform'],
  ['abababababababab', 'uniform'],
  ['Northwind Mutual', 'obvious'],
  ['maria@northwind.example', 'obvious'],
  ['NORTHWIND MUTUAL1', 'obvious'],
  ['xyz 0123 789'.repeat(100), 'long'],
])('rejects %s', (password, flaw) => {
  expect(whyNotPassword(password, known)).toBe(flaw)
})
