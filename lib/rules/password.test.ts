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
  ['', 'at least'],
  ['elevenchars', 'at least'],
  ['aaaaaaaaaaaaaaaa', 'different'],
  ['abababababababab', 'different'],
  ['Northwind Mutual', 'name'],
  ['maria@northwind.example', 'name'],
  ['NORTHWIND MUTUAL1', 'name'],
  ['xyz 0123 789'.repeat(100), 'bytes'],
])('rejects %s', (password, word) => {
  expect(whyNotPassword(password, known)).toContain(word)
})
