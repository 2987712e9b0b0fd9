import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { checkFingerprint, typedFingerprint } from '../origin.ts'
import { wordList } from './word-list.ts'
import { digitsOfWords, wordsOf } from './words.ts'

const fingerprint = createHash('sha256').update('a key').digest('hex')

describe('the words of a fingerprint', () => {
  test('come from 2,048 different words, of which no two share their first four letters', () => {
    expect(wordList.length).toBe(2048)
    expect(new Set(wordList.map((word) => word.slice(0, 4))).size).toBe(2048)
    expect(wordList.every((word) => /^[a-z]{3,8}$/.test(word))).toBe(true)
  })

  test('are twelve, of 11 bits each, from the first bit on', () => {
    expect(wordsOf('0'.repeat(64))).toEqual(Array.from({ length: 12 }, () => 'abandon'))
    expect(wordsOf('f'.repeat(64))).toEqual(Array.from({ length: 12 }, () => 'zoo'))
    // 0x002 is the bits 00000000001 0…: the first word is number 1.
    expect(wordsOf(`002${'0'.repeat(61)}`)).toEqual(['ability', ...Array.from({ length: 11 }, () => 'abandon')])
  })

  test('lead back to the digits, however they are written down', () => {
    const words = wordsOf(fingerprint)
    const digits = fingerprint.slice(0, 33)
    expect(digitsOfWords(words.join(' '))).toBe(digits)
    expect(digitsOfWords(`1. ${words.join(',\n2. ').toUpperCase()}`)).toBe(digits)
    expect(typedFingerprint(words.join(' '))).toBe(digits)
    expect(checkFingerprint(words.join(' '), fingerprint)).toContain('you compared it with')
  })

  test('of another key, in another order, or incomplete are not accepted', () => {
    const words = wordsOf(fingerprint)
    const other = createHash('sha256').update('another key').digest('hex')
    expect(() => checkFingerprint(words.join(' '), other)).toThrow('another key')
    expect(() => checkFingerprint(words.toReversed().join(' '), fingerprint)).toThrow('another key')
    expect(() => checkFingerprint(words.slice(1).join(' '), fingerprint)).toThrow('twelve words')
    expect(() => checkFingerprint(words.with(3, 'countersign').join(' '), fingerprint)).toThrow('twelve words')
  })
})
