/** The parts of a request that its proof covers. */
export type ProvenRequest = {
  method: string
  /** An absolute URL. */
  url: string
  /** The server's nonce, if it asked for one. */
  nonce?: string | undefined
}

/**
 * A proof that the sender of one request holds the key that `accessToken` is bound to (RFC 9449, section 4.2): a JWT,
 * ES256, valid for a minute and for one use. `keys` is a P-256 pair; `now` is the server's time in epoch milliseconds.
 */
export async function makeProof(
  keys: CryptoKeyPair,
  { method, url, nonce }: ProvenRequest,
  accessToken: string,
  now: number,
): Promise<string> {
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', keys.publicKey)
  const address = new URL(url)
  const header = { alg: 'ES256', typ: 'dpop+jwt', jwk: { kty, crv, x, y } }
  const payload = {
    jti: crypto.randomUUID(),
    htm: method,
    htu: `${address.origin}${address.pathname}`,
    iat: Math.floor(now / 1000),
    ath: base64url(await crypto.subtle.digest('SHA-256', utf8(accessToken))),
    nonce,
  }
  const content = `${base64url(utf8(JSON.stringify(header)))}.${base64url(utf8(JSON.stringify(payload)))}`
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, keys.privateKey, utf8(content))
  return `${content}.${base64url(signature)}`
}

/** The SHA-256 thumbprint of the public key, a P-256 point, in base64url (RFC 7638, section 3). */
export async function thumbprint({ publicKey }: CryptoKeyPair): Promise<string> {
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey)
  // In the order of the names.
  return base64url(await crypto.subtle.digest('SHA-256', utf8(JSON.stringify({ crv, kty, x, y }))))
}

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

const base64url = (bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
