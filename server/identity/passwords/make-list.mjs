// Writes common-passwords.bin from a list of passwords, most frequent first, one a line:
// node server/identity/passwords/make-list.mjs <list>
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

const digestBytes = 5
const minLength = 12
const [, , source = ''] = process.argv
const passwords = readFileSync(source, 'utf8').split(/\r?\n/)
const digests = passwords
  .filter((password) => [...password].length >= minLength)
  .map((password) =>
    createHash('sha256').update(password.normalize('NFC').toLowerCase()).digest().subarray(0, digestBytes),
  )
const sorted = [...new Map(digests.map((digest) => [digest.toString('hex'), digest])).values()].sort(Buffer.compare)
writeFileSync(new URL('common-passwords.bin', import.meta.url), Buffer.concat(sorted))
