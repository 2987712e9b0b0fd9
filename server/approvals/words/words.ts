import type { Presentation } from '#lib/schemas/approvals.ts'
import { keyedDigest } from '#server/kernel/content/keyed-digest.ts'
import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'

/** A longer word is found by its beginning. */
const mostLetters = 40
/** Of a text, so that one request can't fill the table. */
const mostWords = 200
/** Beginnings of words by which requests are found. Which of them have the whole word is known once they are decrypted. */
const beginnings = [3, 6] as const
const [fewest] = beginnings

/**
 * The words of a text: letters and digits, in lower case and without accents. A number is also a word without the separators of
 * its thousands: 4,200.00 is found by 4200.
 */
export function wordsOf(text: string): string[] {
  // By way of capitals, so that ß is ss, and ı is i.
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toUpperCase().toLowerCase()
  const joined = plain.replaceAll(/(?<=\d)[,.'’\s](?=\d{3}(?!\d))/gu, '')
  const words = [plain, joined].flatMap((one) => one.match(/[\p{L}\p{N}]+/gu) ?? [])
  return [...new Set(words.map((word) => word.slice(0, mostLetters)))].slice(0, mostWords)
}

/** What of a request is searched: not its arguments, and of its facts those that are not masked. */
export const searchedTexts = ({ title, resource, agent, card }: Presentation): string[] =>
  [
    title,
    resource,
    agent?.name,
    agent?.displayName,
    card?.title,
    ...(card?.facts ?? []).map(({ value }) => value),
  ].filter((text) => typeof text === 'string')

/** Whether each word begins a word of the texts. */
export function sayAll(texts: readonly string[], words: readonly string[]): boolean {
  const said = texts.flatMap(wordsOf)
  return words.every((word) => said.some((one) => one.startsWith(word)))
}

/** The hashes by which a request with these texts is found. */
export const hashesOf = (cipher: TenantCipher, texts: readonly string[]): bigint[] =>
  hashes(
    cipher,
    texts
      .flatMap(wordsOf)
      .flatMap((word) =>
        word.length < fewest
          ? [word]
          : beginnings.flatMap((length) => (word.length < length ? [] : word.slice(0, length))),
      ),
  )

/** The hashes that a request needs to contain all of these words. */
export const hashesToFind = (cipher: TenantCipher, words: readonly string[]): bigint[] =>
  hashes(
    cipher,
    words.map((word) => word.slice(0, beginnings.findLast((length) => length <= word.length) ?? word.length)),
  )

const hashes = (cipher: TenantCipher, texts: readonly string[]): bigint[] => [
  ...new Set([...new Set(texts)].map((text) => hashOf(cipher, text))),
]

/** 64 bits, as PostgreSQL stores them. 0 has another meaning (migration 0091). */
function hashOf(cipher: TenantCipher, text: string): bigint {
  const digest = keyedDigest(cipher, 'approval_words', 'word', text)
  return BigInt.asIntN(64, BigInt(`0x${digest.slice(-16)}`)) || 1n
}
