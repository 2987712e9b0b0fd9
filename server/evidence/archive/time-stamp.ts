import { hash, randomBytes } from 'node:crypto'
import { fetchLimited } from '#server/kernel/net/fetch-limited.ts'
import { AnswerTooLarge } from '#server/kernel/net/outbound.ts'
import { runtime } from '#server/kernel/runtime.ts'

// Time-stamps (RFC 3161): an authority that is not the service signs when an archive's manifest existed.

const wholeMs = 20_000
const sha256Id = '2.16.840.1.101.3.4.2.1'
const tstInfoId = '1.2.840.113549.1.9.16.1.4'
/** Far more than a token with a chain of certificates has. */
const maxBytes = 1024 * 1024

/** The authority did not answer with a time-stamp of this manifest. The export is tried again, and then fails. */
export class NoTimeStamp extends Error {
  override readonly name = 'NoTimeStamp'
}

/** The address of the authority, which the manifest names; null without one. */
export const timeStampAuthority = (): string | null => runtime().config.tsaUrl ?? null

/** Requests a time-stamp of the manifest. Undefined when no authority is configured. Throws NoTimeStamp. */
export async function timeStampOf(manifest: Buffer): Promise<Buffer | undefined> {
  const url = timeStampAuthority()
  return url === null ? undefined : await requestTimeStamp(url, manifest)
}

/**
 * Requests a time-stamp of some bytes from the authority at `url`. Throws NoTimeStamp. The signature is checked by the reader, who
 * has the authority's certificate: `openssl ts -verify`.
 */
export async function requestTimeStamp(url: string, of: Buffer): Promise<Buffer> {
  const digest = hash('sha256', of, 'buffer')
  // Positive, and without a leading zero, as DER writes whole numbers.
  const nonce = randomBytes(16)
  nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40
  const headers = { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' }
  const response = await fetchLimited(
    url,
    { method: 'POST', headers, body: await requestFor(digest, nonce) },
    { wholeMs, maxBytes },
  ).catch((error: unknown) => {
    throw new NoTimeStamp('The time-stamping authority can’t be reached.', { cause: error })
  })
  if (!response.ok) throw new NoTimeStamp(`The time-stamping authority answered with ${response.status}.`)
  const body = await response.arrayBuffer().catch((error: unknown) => {
    const why = error instanceof AnswerTooLarge ? 'answered with too much' : 'did not answer completely'
    throw new NoTimeStamp(`The time-stamping authority ${why}.`, { cause: error })
  })
  const bytes = Buffer.from(body)
  const problem = await whyNotOf(bytes, digest, nonce).catch(() => 'is malformed')
  if (problem !== undefined) throw new NoTimeStamp(`The answer of the time-stamping authority ${problem}.`)
  return bytes
}

// Loaded on first use: most installations lack an authority.
const libraries = async () => ({
  ...(await import('@peculiar/asn1-schema')),
  ...(await import('@peculiar/asn1-tsp')),
  ...(await import('@peculiar/asn1-cms')),
  ...(await import('@peculiar/asn1-x509')),
})

async function requestFor(digest: Buffer, nonce: Buffer): Promise<ArrayBuffer> {
  const { AlgorithmIdentifier, AsnConvert, MessageImprint, OctetString, TimeStampReq } = await libraries()
  return AsnConvert.serialize(
    new TimeStampReq({
      version: 1,
      messageImprint: new MessageImprint({
        hashAlgorithm: new AlgorithmIdentifier({ algorithm: sha256Id, parameters: null }),
        hashedMessage: new OctetString(bufferOf(digest)),
      }),
      nonce: bufferOf(nonce),
      certReq: true,
    }),
  )
}

/** Why the answer is not a time-stamp of this digest for this request; undefined when it is. */
async function whyNotOf(bytes: Buffer, digest: Buffer, nonce: Buffer): Promise<string | undefined> {
  const { AsnConvert, SignedData, TimeStampResp, TSTInfo } = await libraries()
  const { status, timeStampToken } = AsnConvert.parse(bytes, TimeStampResp)
  if (Number(status.status) > 1 || timeStampToken === undefined) return `is a refusal (status ${status.status})`
  const signed = AsnConvert.parse(timeStampToken.content, SignedData)
  const { eContentType, eContent } = signed.encapContentInfo
  if (eContentType !== tstInfoId || eContent?.single === undefined) return 'is not a time-stamp'
  const info = AsnConvert.parse(eContent.single.buffer, TSTInfo)
  if (!Buffer.from(info.messageImprint.hashedMessage.buffer).equals(digest)) return 'is about other bytes'
  if (info.nonce === undefined || !Buffer.from(info.nonce).equals(nonce)) return 'belongs to another request'
  return undefined
}

const bufferOf = (bytes: Buffer): ArrayBuffer => new Uint8Array(bytes).buffer
