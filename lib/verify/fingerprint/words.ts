import { wordList } from './word-list.ts'

// A fingerprint as twelve words, which two people can read to each other.

/** Each of the 2,048 words is 11 bits, so twelve words are the first 33 hex digits of a fingerprint. */
const wordBits = 11n
const wordCount = 12
const digits = 33

/** The words for the first 132 bits of a fingerprint in hex. Another key with the same words takes 2^132 attempts. */
export function wordsOf(fingerprint: string): string[] {
  let bits = BigInt(`0x${fingerprint.slice(0, digits)}`)
  const words: string[] = []
  for (let left = wordCount; left > 0; left--) {
    words.unshift(wordList[Number(bits % (1n << wordBits))] ?? '')
    bits >>= wordBits
  }
  return words
}

/** The 33 hex digits that twelve words name, with any punctuation between them; undefined for another text. */
export function digitsOfWords(text: string): string | undefined {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? []
  const places = words.map((word) => wordList.indexOf(word))
  if (words.length !== wordCount || places.includes(-1)) return undefined
  const bits = places.reduce((sum, place) => (sum << wordBits) | BigInt(place), 0n)
  return bits.toString(16).padStart(digits, '0')
}
