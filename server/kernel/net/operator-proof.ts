import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { MasterKeys } from '#server/kernel/keys/master-key.ts'

// `npm run doctor` asks a running server what it saw of a request: which addresses, and which headers. The answer is for the operator
// alone, who has the master key.

export const operatorHeader = 'x-countersign-operator'

const validMs = 60_000

/** A header that proves knowledge of the master key at the moment `now`, in epoch milliseconds. */
export const operatorProof = (key: Uint8Array, now: number): string => `${now}.${macOf(key, now).toString('hex')}`

/** Whether `value` is such a header, of one of these keys, and at most a minute old. */
export function isOperatorProof(keys: MasterKeys, value: string | null, now: number): boolean {
  const [, moment = '', mac = ''] = /^(\d{1,15})\.([0-9a-f]{64})$/.exec(value ?? '') ?? []
  if (mac === '' || Math.abs(now - Number(moment)) > validMs) return false
  return keys.some((key) => timingSafeEqual(macOf(key, Number(moment)), Buffer.from(mac, 'hex')))
}

function macOf(key: Uint8Array, moment: number): Buffer {
  const derived = new Uint8Array(hkdfSync('sha256', key, '', 'countersign operator', 32))
  return createHmac('sha256', derived).update(String(moment)).digest()
}
