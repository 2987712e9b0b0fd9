import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Bytes of a digest in the list; an unlisted password matches one by chance once in twenty million. */
const digestBytes = 5

let list: Buffer | undefined

/**
 * Whether a password is one of the 44,000 of at least twelve characters among the million that are most frequent in published
 * breaches (SecLists). The list has the beginnings of their SHA-256, sorted; make-list.mjs writes it. Nothing is sent anywhere.
 */
export function isCommonPassword(password: string): boolean {
  list ??= readFileSync(new URL('common-passwords.bin', import.meta.url))
  const wanted = createHash('sha256').update(password.normalize('NFC').toLowerCase()).digest().subarray(0, digestBytes)
  let [low, high] = [0, list.length / digestBytes]
  while (low < high) {
    const middle = (low + high) >>> 1
    const order = wanted.compare(list, middle * digestBytes, (middle + 1) * digestBytes)
    if (order === 0) return true
    if (order < 0) high = middle
    else low = middle + 1
  }
  return false
}
