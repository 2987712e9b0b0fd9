import type { KeyObject } from 'node:crypto'
import { CompactSign, decodeJwt, decodeProtectedHeader } from 'jose'

export type Forgery = { header?: Record<string, unknown>; claims?: Record<string, unknown>; key: KeyObject }

/** Returns a genuine token with changes, signed by `key`. Members that are set to undefined are omitted. */
export function forgeToken(genuine: string, { header = {}, claims = {}, key }: Forgery): Promise<string> {
  const payload = JSON.stringify({ ...decodeJwt(genuine), ...claims })
  const protectedHeader = { alg: 'ES256', ...decodeProtectedHeader(genuine), ...header }
  return new CompactSign(Buffer.from(payload)).setProtectedHeader(protectedHeader).sign(key)
}

/** Returns a genuine token with changes and a signature that does not match, for headers that no library would sign. */
export function patchToken(
  genuine: string,
  header: object,
  claims: object = {},
  signature = genuine.split('.')[2],
): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const changed = [
    { ...decodeProtectedHeader(genuine), ...header },
    { ...decodeJwt(genuine), ...claims },
  ]
  return [...changed.map(encode), signature].join('.')
}
