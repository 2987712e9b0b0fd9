/** Bytes of r and of s, and the order of the curve (RFC 7518, section 3.4; SEC 2). */
type Curve = { bytes: number; order: Buffer }
const curve = (order: string): Curve => ({ bytes: order.length / 2, order: Buffer.from(order, 'hex') })

const curves: Readonly<Record<string, Curve>> = {
  ES256: curve('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'),
  ES384: curve('ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973'),
  ES512: curve(
    '01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409',
  ),
}

/**
 * Whether the signature has the form that `alg` requires: r and s of equal, fixed length, both from 1 to the order less one. A
 * high s is valid, as half of all signers produce one, so two texts can be the same token: no token is identified by its text.
 * True for other algorithms.
 */
export function isPlausibleSignature(alg: unknown, signature: Buffer): boolean {
  const expected = typeof alg === 'string' && Object.hasOwn(curves, alg) ? curves[alg] : undefined
  if (expected === undefined) return true
  const { bytes, order } = expected
  if (signature.length !== 2 * bytes) return false
  return [signature.subarray(0, bytes), signature.subarray(bytes)].every(
    (half) => half.some((byte) => byte !== 0) && half.compare(order) < 0,
  )
}
