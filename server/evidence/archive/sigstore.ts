import { type KeyObject, sign } from 'node:crypto'

const payloadType = 'application/vnd.in-toto+json'

/** The bytes that a DSSE signature covers (https://github.com/secure-systems-lab/dsse): type and payload with their lengths. */
export const preAuthenticationEncoding = (type: string, payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `), payload])

/**
 * A Sigstore bundle (v0.3) with an in-toto statement about files of an archive, in a DSSE envelope. `subjects` are paths
 * with SHA-256 in hex; `keyId` is a hint at the key, which the verifier must get from another source. The signature itself names
 * none: securesystemslib for Go skips one whose key id is not the id that it computes itself.
 */
export function sigstoreBundle(
  subjects: readonly { path: string; sha256: string }[],
  predicate: Record<string, string>,
  { keyId, signingKey }: { keyId: string; signingKey: KeyObject },
): string {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects.map(({ path, sha256 }) => ({ name: path, digest: { sha256 } })),
    predicateType: 'https://countersign.dev/evidence-room-bundle/v1',
    predicate,
  }
  const payload = Buffer.from(JSON.stringify(statement))
  const signature = sign(null, preAuthenticationEncoding(payloadType, payload), signingKey)
  return `${JSON.stringify({
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { publicKey: { hint: keyId } },
    dsseEnvelope: {
      payload: payload.toString('base64'),
      payloadType,
      signatures: [{ sig: signature.toString('base64'), keyid: '' }],
    },
  })}\n`
}
