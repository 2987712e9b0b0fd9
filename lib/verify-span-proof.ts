import { climb, leafOf } from './ladder.ts'
import type { SpanProof } from './schemas/traces.ts'

// Checks the proof of one span with features of a browser or Node only: no network, no server.

export type SpanCheck = { name: string; ok: boolean; detail: string }

/**
 * Checks every claim of a proof, from the span up to the signature. `verifierKey` is the tenant's key of that day
 * (`<name>+<id>+<key>`), which must come from another source than the proof. Never throws because of the proof's content.
 */
export async function verifySpanProof(proof: SpanProof, verifierKey: string): Promise<SpanCheck[]> {
  const { batch, record } = proof
  const leaf = parsed(proof.leaf)
  const leafHash = await sha256(Uint8Array.of(0), utf8(proof.leaf))
  const inBatch = await climb({ index: batch.index, size: batch.size, leaf: leafHash, siblings: batch.inclusionProof })
  const details = memberOf(memberOf(record.record, 'details'), 'root')
  const checks: SpanCheck[] = [
    check(
      'Span',
      leaf !== undefined && leaf[1] === proof.traceId && leaf[2] === proof.spanId,
      'The hashed text belongs to this span.',
      'The hashed text does not belong to this span.',
    ),
  ]
  if (proof.resource !== null)
    checks.push(
      check(
        'Resource',
        leaf?.[13] === (await sha256(utf8(proof.resource))),
        'The resource matches the span’s commitment.',
        'The resource does not match the span’s commitment.',
      ),
    )
  checks.push(
    check(
      'Batch',
      inBatch !== undefined && inBatch.root === batch.root && details === `sha256:${batch.root}`,
      `The span is leaf ${batch.index} of ${batch.size} in the batch whose root is in the audit record.`,
      'The span does not lead to the root in the audit record: its content was changed or erased after it was recorded.',
    ),
    await recordCheck(proof),
    await signatureCheck(proof, verifierKey),
  )
  return checks
}

/** Whether a commitment (`sd`) in the span's text was computed from this salt and value. `json` is the value's JCS. */
export const opensCommitment = async (sd: string, salt: string, json: string): Promise<boolean> =>
  sd === base64Url(await digest(utf8(`["${salt}",${json}]`)))

async function recordCheck({ record }: SpanProof): Promise<SpanCheck> {
  const { merkleRoot, treeSize, inclusionProof, leafIndex } = record
  if (merkleRoot === null || treeSize === null || inclusionProof === null)
    return { name: 'Record', ok: false, detail: 'No checkpoint covers the audit record yet.' }
  const leaf = await leafOf(record)
  const climbed =
    leaf === undefined ? undefined : await climb({ index: leafIndex, size: treeSize, leaf, siblings: inclusionProof })
  return check(
    'Record',
    climbed?.root === merkleRoot,
    `The audit record is number ${leafIndex} of the ${treeSize} records that the root of ${record.date} covers.`,
    `The audit record does not lead to the root of ${record.date}.`,
  )
}

async function signatureCheck({ record }: SpanProof, verifierKey: string): Promise<SpanCheck> {
  const note = record.checkpoint === null ? undefined : parseNote(record.checkpoint)
  const says =
    note !== undefined &&
    note.root === record.merkleRoot &&
    note.size === record.treeSize &&
    note.origin.endsWith(`/t/${record.tenant}/audit/${record.date}`)
  return check(
    'Signature',
    says && (await isSigned(note, verifierKey)),
    'The key signed this root.',
    'The checkpoint is not signed by this key, or names a different root.',
  )
}

const check = (name: string, ok: boolean, good: string, bad: string): SpanCheck => ({
  name,
  ok,
  detail: ok ? good : bad,
})

type Bytes = Uint8Array<ArrayBuffer>
type Note = { origin: string; size: number; root: string; text: string; signatures: { name: string; bytes: Bytes }[] }

/** Parses a checkpoint, which is a signed note (c2sp.org/signed-note). */
function parseNote(note: string): Note | undefined {
  const split = note.lastIndexOf('\n\n')
  const text = note.slice(0, split + 1)
  const [origin, size = '', root = ''] = text.split('\n')
  if (split < 0 || origin === undefined || !/^(0|[1-9]\d*)$/.test(size)) return undefined
  const signatures = note
    .slice(split + 2)
    .split('\n')
    .flatMap((line) => {
      const [, name, encoded] = /^— (\S+) ([A-Za-z0-9+/=]+)$/.exec(line) ?? []
      const bytes = fromBase64(encoded ?? '')
      return name === undefined || bytes === undefined ? [] : [{ name, bytes }]
    })
  return { origin, size: Number(size), root: hex(fromBase64(root) ?? new Uint8Array()), text, signatures }
}

async function isSigned(note: Note, verifierKey: string): Promise<boolean> {
  const [name = '', id = '', ...encoded] = verifierKey.split('+')
  const key = fromBase64(encoded.join('+'))
  if (key === undefined || key[0] !== 1 || key.length !== 33 || name !== note.origin) return false
  if (hex((await digest(utf8(`${name}\n`), key)).slice(0, 4)) !== id) return false
  const publicKey = await crypto.subtle.importKey('raw', key.slice(1), 'Ed25519', false, ['verify'])
  for (const { name: by, bytes } of note.signatures)
    if (by === name && hex(bytes.slice(0, 4)) === id)
      if (await crypto.subtle.verify('Ed25519', publicKey, bytes.slice(4), utf8(note.text))) return true
  return false
}

function parsed(leaf: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(leaf)
    return Array.isArray(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined

const utf8 = (text: string): Bytes => new TextEncoder().encode(text)
const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

function fromBase64(text: string): Bytes | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return undefined
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

const digest = async (...parts: Bytes[]): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', await new Blob(parts).arrayBuffer()))
const sha256 = async (...parts: Bytes[]): Promise<string> => hex(await digest(...parts))
