import { Broken, type Bytes, concat, toBase64Url } from '../bytes.ts'

// Signatures of passkeys (WebAuthn Level 3, 7.2): the key is a COSE_Key (RFC 9053), of which only the three forms are read that
// the service accepts.

type CoseKey = Map<number, number | Bytes>

/** The CBOR map of a COSE key: whole numbers as names, whole numbers and byte strings as values. */
function readCoseKey(bytes: Bytes): CoseKey {
  const key: CoseKey = new Map()
  let at = 0
  const malformed = () => new Broken('The public key of a passkey is malformed.')
  const head = (): { major: number; value: number } => {
    const first = bytes[at++]
    if (first === undefined) throw malformed()
    const small = first & 31
    const width = small < 24 ? 0 : small < 27 ? 2 ** (small - 24) : undefined
    if (width === undefined || at + width > bytes.length) throw malformed()
    let value = width === 0 ? small : 0
    for (let index = 0; index < width; index++) value = value * 256 + (bytes[at++] ?? 0)
    return { major: first >> 5, value }
  }
  const number = (): number => {
    const { major, value } = head()
    if (major > 1) throw malformed()
    return major === 0 ? value : -1 - value
  }
  const map = head()
  if (map.major !== 5 || map.value > 16) throw malformed()
  for (let index = 0; index < map.value; index++) {
    const name = number()
    const start = at
    const { major, value } = head()
    if (major === 2) {
      if (at + value > bytes.length) throw malformed()
      key.set(name, bytes.slice(at, at + value))
      at += value
    } else {
      at = start
      key.set(name, number())
    }
  }
  if (at !== bytes.length) throw malformed()
  return key
}

/** Whether the passkey signed these bytes. Broken for a key of another form. */
export async function passkeySigned(cose: Bytes, signature: Bytes, data: Bytes): Promise<boolean> {
  const key = readCoseKey(cose)
  const text = (name: number): string => {
    const value = key.get(name)
    if (typeof value !== 'object') throw new Broken('The public key of a passkey is malformed.')
    return toBase64Url(value)
  }
  const verify = async (
    jwk: JsonWebKey,
    algorithm: AlgorithmIdentifier | EcdsaParams | RsaHashedImportParams,
    own: Bytes,
  ) =>
    await crypto.subtle.verify(
      algorithm,
      await crypto.subtle.importKey('jwk', jwk, algorithm as EcKeyImportParams, false, ['verify']),
      own,
      data,
    )
  const [type, algorithm, curve] = [key.get(1), key.get(3), key.get(-1)]
  if (type === 1 && algorithm === -8 && curve === 6)
    return await verify({ kty: 'OKP', crv: 'Ed25519', x: text(-2) }, { name: 'Ed25519' }, signature)
  if (type === 2 && algorithm === -7 && curve === 1)
    return await verify(
      { kty: 'EC', crv: 'P-256', x: text(-2), y: text(-3) },
      { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as EcdsaParams,
      rawEcdsa(signature),
    )
  if (type === 3 && algorithm === -257)
    return await verify(
      { kty: 'RSA', n: text(-1), e: text(-2) },
      { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as RsaHashedImportParams,
      signature,
    )
  throw new Broken('A passkey has a key of an unknown kind.')
}

/** The 64 bytes of an ECDSA signature over P-256 from its DER. */
function rawEcdsa(der: Bytes): Bytes {
  const halves: Bytes[] = []
  let at = 2
  for (let index = 0; index < 2; index++) {
    const length = der[at + 1] ?? 0
    const whole = der.slice(at + 2, at + 2 + length)
    const number = whole[0] === 0 ? whole.slice(1) : whole
    if (der[at] !== 2 || number.length > 32 || whole.length !== length) throw new Broken('A signature is malformed.')
    halves.push(concat(new Uint8Array(32 - number.length), number))
    at += 2 + length
  }
  if (der[0] !== 0x30 || der[1] !== der.length - 2 || at !== der.length) throw new Broken('A signature is malformed.')
  return concat(...halves)
}
