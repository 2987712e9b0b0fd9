import { expect, test } from 'vitest'
import { partialMask } from './partial-mask.ts'

const known = new Map([
  ['pavel@mail.example', 'pii.email'],
  ['papaver', 'pii.name'],
])

/** The visible text after each piece. */
function shown(pieces: readonly string[]): string[] {
  const mask = partialMask(known)
  let text = ''
  return pieces.map((piece) => {
    text += piece
    const may = mask(text)
    return 'class' in may ? may.class : text.slice(0, may.length)
  })
}

test('holds back an ending that may become a sensitive text until it turns out to be another', () => {
  expect(shown(['I asked ', 'pa', 'pa', 'y', ' to come'])).toEqual([
    'I asked ',
    'I asked ',
    'I asked ',
    'I asked papay',
    'I asked papay to come',
  ])
})

test('never shows a character of the sensitive text, wherever the pieces are cut', () => {
  const before = 'It is papa, pavel@mail, pa'
  const text = `${before}pavel@mail.example and more`
  for (let cut = 1; cut < text.length; cut += 1)
    for (const size of [1, 2, 7]) {
      const pieces = [text.slice(0, cut), ...(text.slice(cut).match(new RegExp(`.{1,${size}}`, 'gs')) ?? [])]
      for (const one of shown(pieces))
        expect(one === 'pii.email' || before.startsWith(one), `${cut} ${size} ${one}`).toBe(true)
      expect(shown(pieces).at(-1)).toBe('pii.email')
    }
})

test('holds back half a surrogate pair', () => {
  const [high, low] = ['😀'.slice(0, 1), '😀'.slice(1)]
  expect(shown([`yes ${high}`, low])).toEqual(['yes ', 'yes 😀'])
})

test('recognises a very long sensitive text by its beginning', () => {
  const long = 'x'.repeat(5000)
  const mask = partialMask(new Map([[long, 'document']]))
  expect(mask('y'.repeat(10) + 'x'.repeat(199))).toEqual({ length: 10 })
  expect(mask('y'.repeat(10) + 'x'.repeat(200))).toEqual({ class: 'document' })
})
