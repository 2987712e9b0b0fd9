import { Broken, type Bytes, concat, sameBytes } from '../bytes.ts'
import { NotChecked } from '../report.ts'
import {
  type Certificate,
  certificateOf,
  certificatesIn,
  forTimeStamps,
  hashNamed,
  isSignedBy,
  leadsTo,
} from './certificates.ts'
import { type Der, elementsOf, inside, oidOf, onlyElement, tags, timeOf } from './der.ts'

// RFC 3161: an authority that is not the service signed when manifest.json existed.

const oids = {
  signedData: '1.2.840.113549.1.7.2',
  tstInfo: '1.2.840.113549.1.9.16.1.4',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
}

/** A time-stamp over the manifest, whose signature agrees with a certificate in it. Whose certificate that is, is open. */
export type TimeStamp = {
  /** Milliseconds since 1970. */
  at: number
  signer: Certificate
  /** Other certificates in it. */
  others: Certificate[]
}

/** Reads the answer of the authority. Broken unless it covers these bytes and its signature is right. */
export async function readTimeStamp(answer: Bytes, manifest: Bytes): Promise<TimeStamp> {
  const token = inside(onlyElement(answer, tags.sequence), 1, tags.sequence)
  if (oidOf(inside(token, 0, tags.oid)) !== oids.signedData) throw new Broken('The time-stamp has an unknown form.')
  const data = inside(inside(token, 1, 0xa0), 0, tags.sequence)
  const parts = elementsOf(data.body)
  const content = inside(data, 2, tags.sequence)
  if (oidOf(inside(content, 0, tags.oid)) !== oids.tstInfo) throw new Broken('The time-stamp has an unknown form.')
  const info = inside(inside(content, 1, 0xa0), 0, tags.octets).body
  const facts = onlyElement(info, tags.sequence)
  const imprint = inside(facts, 2, tags.sequence)
  const hash = hashNamed(oidOf(inside(inside(imprint, 0, tags.sequence), 0, tags.oid)))
  if (!sameBytes(inside(imprint, 1, tags.octets).body, await hashOf(hash, manifest)))
    throw new Broken('The time-stamp covers another manifest.json.')
  const certificates = elementsOf(parts.find(({ tag }) => tag === 0xa0)?.body ?? new Uint8Array()).flatMap(
    ({ tag, raw }) => (tag === tags.sequence ? [certificateOf(raw)] : []),
  )
  const signer = await signerIn(parts.at(-1), certificates, info)
  return {
    at: timeOf(inside(facts, 4, tags.generalizedTime)),
    signer,
    others: certificates.filter((one) => one !== signer),
  }
}

const subjectKey = 0x80

/** The certificate whose key signed the facts of the time-stamp. */
async function signerIn(
  signers: Der | undefined,
  certificates: readonly Certificate[],
  info: Bytes,
): Promise<Certificate> {
  const signed = inside(signers, 0, tags.sequence)
  const parts = elementsOf(signed.body)
  // RFC 5652, 5.3: [0] instead of the issuer and the number.
  if (parts[1]?.tag === subjectKey)
    throw new NotChecked(
      'The time-stamp names its signer by a subjectKeyIdentifier, which this verifier does not read.',
    )
  const sid = inside(signed, 1, tags.sequence)
  const [issuer, serial] = [inside(sid, 0, tags.sequence).raw, inside(sid, 1, tags.integer).body]
  const signer = certificates.find((one) => sameBytes(one.issuer, issuer) && sameBytes(one.serial, serial))
  if (signer === undefined) throw new Broken('The time-stamp lacks the certificate of its signer.')
  const digest = hashNamed(oidOf(inside(inside(signed, 2, tags.sequence), 0, tags.oid)))
  const attributes = inside(signed, 3, 0xa0)
  if (oidOf(attributeNamed(attributes, oids.contentType)) !== oids.tstInfo)
    throw new Broken('The time-stamp has an unknown form.')
  if (!sameBytes(attributeNamed(attributes, oids.messageDigest).body, await hashOf(digest, info)))
    throw new Broken('The time-stamp was changed.')
  const [algorithm, signature] = [parts[4], parts[5]]
  if (algorithm === undefined || signature?.tag !== tags.octets) throw new Broken('The time-stamp is malformed.')
  // RFC 5652, 5.4: signed as a SET, although it is written with another tag.
  const asSet = concat(Uint8Array.of(tags.set), attributes.raw.slice(1))
  if (!(await isSignedBy(signer, { signed: asSet, signature: signature.body, algorithm }, digest)))
    throw new Broken('The signature of the time-stamp does not match it.')
  return signer
}

/** The one value of a signed attribute. */
function attributeNamed(attributes: Der, name: string): Der {
  const found = elementsOf(attributes.body).find((one) => oidOf(inside(one, 0, tags.oid)) === name)
  const [value] = elementsOf(inside(found, 1, tags.set).body)
  if (value === undefined) throw new Broken('The time-stamp is malformed.')
  return value
}

/** The authority made the time-stamp: its certificate, which the reader got from elsewhere, is `pem` or issued the signer's. */
export async function checkAuthority({ at, signer, others }: TimeStamp, pem: string): Promise<void> {
  if (!signer.purposes.includes(forTimeStamps))
    throw new Broken('The certificate that signed the time-stamp is not for time-stamps.')
  if (!(await leadsTo(certificatesIn(pem), signer, { others, at })))
    throw new Broken('Another authority made the time-stamp than the one whose certificate you gave.')
}

const hashOf = async (hash: string, bytes: Bytes): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest(hash, bytes))
