import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { MasterKeys } from '#server/kernel/keys/master-key.ts'

// `npm run doctor` asks a running server what it saw of a request: which addresses, and which headers. The answer is for the operator
// alone, who has the master key.

export const operatorHeader = 'x-countersign-operator'

const validMs = 60_000

/** A header that proves knowledge of the master key at the moment `now`, in epoch milliseconds. */
export const operatorProof = (key: Uint8Array, now: number): string =>
  `${now}.${macOf(key, String(now)).toString('hex')}`

/** The one of these keys with which `value` is such a header, at most a minute old. */
export function provenKey(keys: MasterKeys, value: string | null, now: number): Uint8Array | undefined {
  const [, moment = '', mac = ''] = /^(\d{1,15})\.([0-9a-f]{64})$/.exec(value ?? '') ?? []
  if (mac === '' || Math.abs(now - Number(moment)) > validMs) return undefined
  return keys.find((key) => timingSafeEqual(macOf(key, moment), Buffer.from(mac, 'hex')))
}

/** Tells whether two processes with this key work on the same database, without telling what it is. A proof has digits alone. */
export const databaseMark = (key: Uint8Array, identity: string): string =>
  macOf(key, `database ${identity}`).toString('hex')

function macOf(key: Uint8Array, text: string): Buffer {
  const derived = new Uint8Array(hkdfSync('sha256', key, '', 'countersign operator', 32))
  return createHmac('sha256', derived).update(text).digest()
}
